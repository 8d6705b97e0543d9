import RPC

extension API {
    /// Answers whether every required service responds.
    func readiness() async throws(RPCError) -> HTTPAnswer {
        let registry = gateway.registry
        guard registry.plugins.contains(where: \.manifest.required) else {
            throw .notReady("no plugin is configured", "plugins.d names no required service")
        }
        let failures = await registry.map(where: \.manifest.required) { plugin -> (name: String, reason: String)? in
            switch await plugin.health(CallOptions()) {
            // A draining service takes no other calls; they wait for its successor.
            case .success(let health) where health.status == .draining:
                await plugin.report().error.map { (plugin.name, $0) }
            case .success: nil
            case .failure(let error): (plugin.name, error.message)
            }
        }.compactMap(\.self)
        guard failures.isEmpty else {
            throw .notReady(
                "these services do not answer: \(failures.map(\.name).joined(separator: ", "))",
                failures.map { "\($0.name): \($0.reason)" }.joined(separator: "; "))
        }
        return .text("ready")
    }
}

extension RPCError {
    fileprivate static func notReady(_ message: String, _ cause: String) -> RPCError {
        var error = RPCError(.unavailable, message)
        error.cause = cause
        return error
    }
}
