import ArgumentParser
import Foundation
import JSON
import NIOCore
import RPC

struct HealthCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check the services. Exit codes: 0 serving, 1 degraded, 69 down.",
        discussion: """
            Examples:
              gateway health
              gateway health feed          one service
              gateway health --wait 30     wait until all services work, at most 30 s
            """)

    static let parameterNames = ["service": "the service"]

    @OptionGroup var client: ClientOptions

    @Argument(help: "The service to check; default: all.", completion: .services) var service: String?

    @Option(help: ArgumentHelp("Wait until the services work, at most this long.", valueName: "seconds"))
    var wait: Double?

    func validate() throws {
        if let wait, !ClientOptions.timeouts.contains(wait) {
            throw ValidationError("--wait must be from 0.001 to 86400 seconds")
        }
    }

    /// The time between two checks.
    private static let interval = Duration.milliseconds(50)

    func run(_ session: Session) async throws {
        let clock = session.clock
        let end = clock.now + .nanoseconds(Int64((wait ?? 0) * 1e9))
        while true {
            let left = max(0.05, clock.timeLeft(until: end) / .seconds(1))
            let health = await look(session, timeout: wait == nil ? nil : min(left, client.timeout ?? left))
            if case .success(let health) = health, health.status == .serving || clock.now >= end {
                return try finish(health, session)
            }
            if clock.now >= end { return try finish(health.get(), session) }
            try await clock.sleep(for: Self.interval)
        }
    }

    private func look(_ session: Session, timeout: Double?) async -> Result<Health, RPCError> {
        do throws(RPCError) {
            return .success(
                try await session.call(ProtocolMethods.health, ServiceSelection(service: service), timeout: timeout))
        } catch {
            return .failure(error)
        }
    }

    private func finish(_ health: Health, _ session: Session) throws {
        let output = session.output
        if session.asJSON {
            output.print(RawJSON(health, as: Health.codec))
        } else {
            output.print(HealthText(output: output).text(health))
        }
        if health.status != .serving { throw ExitCode(Self.degraded) }
    }

    private static let degraded: Int32 = 1
}

/// Formats the state of services as text.
struct HealthText {
    let output: Output

    func text(_ health: Health) -> String {
        let columns = [TextTable.Column("CHECK"), TextTable.Column("STATUS"), TextTable.Column("DETAIL", fit: .wrap)]
        let rows = health.checks.map { [$0.name, $0.status.rawValue, $0.detail ?? ""] }
        let table = TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
        return [output.style.bold(health.status.rawValue), rows.isEmpty ? nil : table]
            .compactMap(\.self).joined(separator: "\n")
    }
}
