import RPC

extension API {
    /// Answers whether every required service responds, and has its store.
    func readiness() async throws(RPCError) -> HTTPAnswer {
        let registry = gateway.registry
        guard registry.plugins.contains(where: \.manifest.required) else {
            throw .notReady("no plugin is configured", "plugins.d names no required service")
        }
        let failures = await registry.map(where: \.manifest.required) { plugin -> Unreadiness? in
            switch await plugin.health(CallOptions()) {
            // A draining service takes no other calls; they wait for its successor.
            case .success(let health) where health.status == .draining:
                await plugin.report().error.map { Unreadiness(name: plugin.name, fault: .silent, reason: $0) }
            case .success(let health) where health.isWithoutStore:
                Unreadiness(name: plugin.name, fault: .storeless, reason: "its log and gateway health say why")
            case .success: nil
            case .failure(let error): Unreadiness(name: plugin.name, fault: .silent, reason: error.message)
            }
        }.compactMap(\.self)
        guard failures.isEmpty else {
            let faults = Unreadiness.Fault.allCases.compactMap { fault in
                let names = failures.filter { $0.fault == fault }.map(\.name)
                return names.isEmpty ? nil : "these services \(fault.rawValue): \(names.joined(separator: ", "))"
            }
            throw .notReady(
                faults.joined(separator: "; "),
                failures.map { "\($0.name): \($0.reason)" }.joined(separator: "; "))
        }
        return .text("ready")
    }
}

/// Why a required service cannot have readers.
private struct Unreadiness: Sendable {
    enum Fault: String, CaseIterable {
        case silent = "do not answer"
        case storeless = "cannot use their stores"
    }

    let name: String
    let fault: Fault

    /// For the log.
    let reason: String
}

extension RPCError {
    fileprivate static func notReady(_ message: String, _ cause: String) -> RPCError {
        var error = RPCError(.unavailable, message)
        error.cause = cause
        return error
    }
}
