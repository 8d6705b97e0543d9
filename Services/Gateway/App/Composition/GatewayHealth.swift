import Foundation
import RPC

/// The health of the whole from that of its parts.
enum GatewayHealth {
    /// One check a service. Only a service that is required makes the whole degraded.
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
    /// What it describes; nothing while it does not answer, which `gateway.plugins` and `rpc.health` report.
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
            // A plain peer that knows no health has answered all the same.
            return error.kind == .methodNotFound ? .success(Health([])) : .failure(error)
        }
    }
}
