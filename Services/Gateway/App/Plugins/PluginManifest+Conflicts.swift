extension PluginManifest {
    /// Why the manifest cannot be used beside others; nil when it can. The other manifests have precedence.
    func conflict(with others: [PluginManifest]) -> String? {
        enriching(beside: others) ?? publishing(beside: others)
    }

    /// The name of the file that it was read from.
    var file: String { name + ".json" }

    private func publishing(beside others: [PluginManifest]) -> String? {
        for route in http {
            if let own = Self.ownPaths.first(where: route.path.overlaps) {
                return "http: \(route.key) overlaps \(own.text) of the API itself"
            }
            // Also while that plugin has no manifest: it can get one at any time.
            for client in PluginClients.all {
                if let taken = client.endpoints.map(\.path).first(where: route.path.overlaps) {
                    return "http: \(route.key) overlaps \(taken.text) of the plugin \(client.plugin)"
                }
            }
            for other in others {
                if let taken = other.http.first(where: { $0.path.overlaps(route.path) }) {
                    return "http: \(route.key) overlaps \(taken.key) of \(other.file)"
                }
            }
        }
        return nil
    }

    private static let ownPaths = API.endpoints.map(\.path)

    private func enriching(beside others: [PluginManifest]) -> String? {
        for enrichment in enriches {
            if let other = others.first(where: { $0.enriches.contains { $0.name == enrichment.name } }) {
                return "enriches: \(other.file) already adds \(enrichment.name); choose another name for \"as\""
            }
        }
        let count = (others + [self]).reduce(0) { $0 + $1.enriches.count }
        if !enriches.isEmpty, count > Enrichment.maximumPerItem {
            return "enriches: an item has at most \(Enrichment.maximumPerItem) extensions of all plugins"
        }
        return nil
    }
}
