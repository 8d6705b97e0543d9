import Foundation
import NIOCore
import RPC
import ServiceKit

/// Computes the health of the gateway from the health of its services.
enum GatewayHealth {
    /// What is known of a plugin.
    struct Part: Sendable {
        let plugin: Plugin
        let health: Result<Health, RPCError>

        /// What its manifest names and the plugin does not describe. It is shown beside the state, and does not change it.
        var faults: [String] = []
    }

    /// Returns one check per service, the gateway's own, and one per manifest that is not used. Only a required service can degrade the
    /// result.
    /// - Parameter slow: the checks of the gateway's slow methods.
    static func summary(
        _ parts: [Part], refused: [FileRejection] = [], slow: [Health.Check] = [], now: Date
    ) -> Health {
        var isWell = true
        let checks = parts.map { part in
            let (plugin, check) = (part.plugin, check(part, now: now))
            if plugin.manifest.required, check.status != .serving { isWell = false }
            return check
        }
        let names = Set(checks.map(\.name))
        let refusals = refused.filter { !names.contains($0.name) }.map {
            Health.Check(name: $0.name, status: .degraded, detail: "refused: \($0)", since: now)
        }
        return Health(isWell && !checks.isEmpty ? .serving : .degraded, checks + slow + refusals)
    }

    private static func check(_ part: Part, now: Date) -> Health.Check {
        let plugin = part.plugin
        switch part.health {
        case .success(let health):
            let failing = health.checks.filter { $0.status != .serving }
            let worst = failing.first { !$0.leavesUsable } ?? failing.first
            let details = [worst?.detail].compactMap(\.self) + part.faults
            return Health.Check(
                name: plugin.name, status: health.status,
                detail: details.isEmpty ? nil : details.joined(separator: "; "),
                since: worst?.since ?? health.checks.map(\.since).max() ?? now)
        case .failure(let error):
            return Health.Check(
                name: plugin.name, status: .degraded, detail: error.message, since: plugin.standing.since)
        }
    }
}

extension Plugin {
    /// The contracts that the service describes; none if it describes nothing, or wrongly.
    func contracts(_ options: CallOptions) async throws(RPCError) -> [Contract] {
        do throws(RPCError) {
            return try await client.call(ProtocolMethods.describe, ServiceSelection(), probing(options)).contracts
        } catch {
            guard error.kind == .methodNotFound || error.kind == .invalidData else { throw error }
            return []
        }
    }

    func health(_ options: CallOptions) async -> Result<Health, RPCError> {
        do throws(RPCError) {
            let health = try await client.call(ProtocolMethods.health, ServiceSelection(), probing(options))
            if let mismatch = standing.mismatch {
                return .failure(RPCError(.unavailable, mismatch))
            }
            return .success(health)
        } catch {
            // A service without `rpc.health` has answered nevertheless.
            return error.kind == .methodNotFound ? .success(Health([])) : .failure(error)
        }
    }

    /// The options with the timeout of the gateway's own checks, if that is shorter. The hops of a call that is served remain,
    /// so that gateways that are each other's plugins do not ask each other forever.
    private func probing(_ options: CallOptions) -> CallOptions {
        var options = options
        options.timeout = min(options.timeout ?? Self.probeTimeout, Self.probeTimeout)
        return options
    }
}
