extension PluginManifest {
    /// Why the manifest cannot be used beside others; nil when it can. The other manifests have precedence.
    func conflict(with others: [PluginManifest]) -> String? {
        if others.contains(where: { $0.name == name }) { return "there is already a plugin named \(name)" }
        return enriching(beside: others)
    }

    private func enriching(beside others: [PluginManifest]) -> String? {
        for enrichment in enriches {
            if let other = others.first(where: { $0.enriches.contains { $0.name == enrichment.name } }) {
                return "enriches: the plugin \(other.name) already adds \(enrichment.name)"
            }
        }
        let count = (others + [self]).reduce(0) { $0 + $1.enriches.count }
        if !enriches.isEmpty, count > Enrichment.maximumPerItem {
            return "enriches: an item has at most \(Enrichment.maximumPerItem) extensions of all plugins"
        }
        return nil
    }
}
