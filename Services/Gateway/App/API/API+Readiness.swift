import RPC

extension API {
    /// Whether there is somebody behind this API: every service that is required answers.
    func readiness() async throws(RPCError) -> HTTPAnswer {
        let required = registry.plugins.filter(\.manifest.required)
        guard !required.isEmpty else { throw RPCError(.unavailable, "no service is required: there are no plugins") }
        let failures = await PluginRegistry(required).map { plugin -> String? in
            switch await plugin.health() {
            case .success: nil
            case .failure(let error): "\(plugin.name): \(error.message)"
            }
        }.compactMap(\.self)
        guard failures.isEmpty else { throw RPCError(.unavailable, failures.joined(separator: "; ")) }
        return .text("ready")
    }
}
