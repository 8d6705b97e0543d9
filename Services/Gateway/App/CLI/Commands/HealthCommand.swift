import ArgumentParser
import Foundation
import GatewayContract
import JSON
import NIOCore
import RPC

struct HealthCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "health",
        abstract: "Check the services. Exit codes: 0 serving, 1 degraded or draining, 69 down.",
        discussion: """
            Examples:
              gateway health
              gateway health feed          one service
              gateway health --wait 30     wait until all services work, at most 30 s
              gateway health --wait 30 --usable
                                           wait only until the feed can be used

            A service is degraded while its store cannot be used, or only not written (writes:PART), a part of it is damaged \
            (content:PART), it does not hear of the writes of others (changes:PART), or its upstream does not serve: the detail \
            names the cause and what to do. A part that is slow (slow:PART) is named, too, \
            but serves. All recover by themselves when the cause is gone. A service is draining while it finishes its calls and stops.

            A feed can be used when every required service answers and can read its store. The upstream of an edge need \
            not answer: the edge serves its copies. With --usable the exit code is 0 then, and waiting ends when a store \
            cannot be opened, which a service tries again only every 30 s.
            """)

    static let parameterNames = ["service": "the service"]

    @OptionGroup var client: ClientOptions

    @Argument(help: "The service to check; default: all.", completion: .services) var service: String?

    @Option(help: ArgumentHelp("Wait until the services work, at most this long.", valueName: "seconds"))
    var wait: Double?

    @Flag(help: "Ask only whether the feed can be used.") var usable = false

    func validate() throws {
        if let wait, !ClientOptions.timeouts.contains(wait) {
            throw ValidationError("--wait must be from 0.001 to 86400 seconds")
        }
        if usable, service != nil { throw ValidationError("--usable is about all services: leave out the name") }
    }

    /// The time between two checks.
    private static let interval = Duration.milliseconds(50)

    /// How long it waits before it names what it waits for.
    private static let patience = TimeAmount.seconds(3)

    func run(_ session: Session) async throws {
        let clock = session.clock
        let start = clock.now
        let end = start + .nanoseconds(Int64((wait ?? 0) * 1e9))
        var isPatient = true
        while true {
            let left = max(0.05, clock.timeLeft(until: end) / .seconds(1))
            let timeout = wait == nil ? nil : min(left, client.timeout ?? left)
            let health = await look(session, timeout: timeout)
            let standing = await standing(health, session, timeout: timeout)
            if clock.now >= end || standing.isFinal { return try finish(health, standing, session) }
            if isPatient, clock.now - start > Self.patience, case .waiting(let names) = standing {
                isPatient = false
                session.output.say("waiting for \(names.joined(separator: ", "))")
            }
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

    private func standing(
        _ health: Result<Health, RPCError>, _ session: Session, timeout: Double?
    ) async -> ServiceStanding {
        guard case .success(let health) = health else { return .waiting(["gateway"]) }
        let failing = health.checks.filter { $0.status != .serving }.map(\.name)
        guard health.status != .serving else { return .good }
        guard health.status != .draining else { return .waiting([service ?? "gateway"]) }
        guard usable else { return .waiting(failing) }
        return await ServiceStanding.ofRequired(failing, session, timeout: timeout)
    }

    private func finish(_ health: Result<Health, RPCError>, _ standing: ServiceStanding, _ session: Session) throws {
        let (health, output) = (try health.get(), session.output)
        if session.asJSON {
            output.print(RawJSON(health, as: Health.codec))
        } else {
            output.print(HealthText(output: output).text(health))
        }
        guard case .good = standing else { throw ExitCode(Self.degraded) }
    }

    private static let degraded: Int32 = 1
}

/// What `health` waits for.
private enum ServiceStanding {
    case good

    /// These services do not work yet.
    case waiting([String])

    /// The store of a service cannot be used, and waiting will not change that soon.
    case stuck

    var isFinal: Bool { if case .waiting = self { false } else { true } }

    /// Whether the feed can be used although these services fail.
    static func ofRequired(_ failing: [String], _ session: Session, timeout: Double?) async -> ServiceStanding {
        do throws(RPCError) {
            let plugins = try await session.call(GatewayContract.plugins, Empty(), timeout: timeout).plugins
            let required = Set(plugins.filter(\.required).map(\.name))
            guard !required.isEmpty else { return .waiting(["gateway"]) }
            var waiting: [String] = []
            for name in failing where required.contains(name) {
                guard let health = await health(of: name, session, timeout: timeout) else {
                    waiting.append(name)
                    continue
                }
                if health.isWithoutStore { return .stuck }
                if health.status == .draining { waiting.append(name) }
            }
            return waiting.isEmpty ? .good : .waiting(waiting)
        } catch {
            return .waiting(["gateway"])
        }
    }

    /// Nil while the service does not answer.
    private static func health(of service: String, _ session: Session, timeout: Double?) async -> Health? {
        do throws(RPCError) {
            return try await session.call(
                ProtocolMethods.health, ServiceSelection(service: service), timeout: timeout)
        } catch {
            return nil
        }
    }
}

/// Formats the state of services as text.
struct HealthText {
    let output: Output

    func text(_ health: Health) -> String {
        let columns = [
            TextTable.Column("CHECK"), TextTable.Column("STATUS"), TextTable.Column("SINCE"),
            TextTable.Column("DETAIL", fit: .wrap),
        ]
        let rows = health.checks.map { check in
            let since = check.status == .serving ? "" : check.since.formatted(.iso8601)
            return [check.name, check.status.rawValue, since, check.detail ?? ""]
        }
        let table = TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
        return [output.style.bold(health.status.rawValue), rows.isEmpty ? nil : table]
            .compactMap(\.self).joined(separator: "\n")
    }
}
