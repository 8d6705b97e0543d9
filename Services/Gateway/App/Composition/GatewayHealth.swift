import Foundation
import RPC

/// Computes the health of the gateway from the health of its services.
enum GatewayHealth {
    /// Returns one check per service. Only a required service can degrade the result.
    static func summary(_ parts: [(Plugin, Result<Health, RPCError>)], now: Date) -> Health {
        var isWell = true
        let checks = parts.map { plugin, health in
            let check = check(plugin, health, now: now)
            if plugin.manifest.required, check.status != .serving { isWell = false }
            return check
        }
        return Health(isWell && !checks.isEmpty ? .serving : .degraded, checks)
    }

    private static func check(_ plugin: Plugin, _ health: Result<Health, RPCError>, now: Date) -> Health.Check {
        switch health {
        case .success(let health):
            let worst = health.checks.first { $0.status != .serving }
            return Health.Check(
                name: plugin.name, status: health.status, detail: worst?.detail,
                since: worst?.since ?? health.checks.map(\.since).max() ?? now)
        case .failure(let error):
            return Health.Check(
                name: plugin.name, status: .degraded, detail: error.message, since: plugin.standing.since)
        }
    }
}

extension Plugin {
    /// The contracts that the service describes; empty while it does not answer, which `gateway.plugins` and
    /// `rpc.health` report.
    func contracts() async -> [Contract] {
        do throws(RPCError) {
            return try await client.call(
                ProtocolMethods.describe, ServiceSelection(), CallOptions(timeout: Self.probeTimeout)
            ).contracts
        } catch {
            return []
        }
    }

    func health() async -> Result<Health, RPCError> {
        do throws(RPCError) {
            let health = try await client.call(
                ProtocolMethods.health, ServiceSelection(), CallOptions(timeout: Self.probeTimeout))
            if let mismatch = standing.mismatch {
                return .failure(RPCError(.unavailable, mismatch))
            }
            return .success(health)
        } catch {
            // A service without `rpc.health` has answered nevertheless.
            return error.kind == .methodNotFound ? .success(Health([])) : .failure(error)
        }
    }
}
