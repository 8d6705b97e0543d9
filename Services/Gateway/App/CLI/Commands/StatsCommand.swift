import ArgumentParser
import RPC

struct StatsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show calls, errors and latencies by method, and the state of a process.",
        discussion: """
            Examples:
              gateway stats                the gateway, including forwarded calls
              gateway stats feed           one service
              gateway stats feed --json    as JSON, with the whole histograms

            Counts begin when the process starts. A latency is the time from reading a call to answering it. \
            p50 and p99 are upper bounds, rounded up to a power of two.
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: "The service; default: the gateway.") var service: String?

    func run(_ session: Session) async throws {
        _ = try await session.show(ProtocolMethods.stats, ServiceSelection(service: service)) {
            text($0, session.output)
        }
    }

    private func text(_ statistics: Statistics, _ output: Output) -> String {
        let columns = [
            TextTable.Column("METHOD"), TextTable.Column("CALLS", align: .right),
            TextTable.Column("UNDER WAY", align: .right), TextTable.Column("MEAN", align: .right),
            TextTable.Column("P50 ≤", align: .right), TextTable.Column("P99 ≤", align: .right),
            TextTable.Column("ERRORS", fit: .wrap),
        ]
        let rows = statistics.methods.sorted { $0.key < $1.key }.map(row)
        let table = TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
        return summary(statistics.process) + "\n" + table
    }

    private func summary(_ process: ProcessStatistics) -> String {
        let parts = [
            "up \(process.uptime) s", "\(process.connections) connections", "\(process.handlers) handlers",
            "\(process.queuedBytes) bytes queued",
            process.memoryBytes.map { "\($0 / 1_024 / 1_024) MiB of memory" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func row(_ name: String, _ method: MethodStatistics) -> [String] {
        let latency = method.latency
        let errors = method.errors.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return [
            name, "\(method.calls)", "\(method.underWay)",
            latency.count == 0 ? "" : Self.time(latency.sumMicroseconds / latency.count),
            Self.time(latency.bound(ofPart: 0.5)),
            Self.time(latency.bound(ofPart: 0.99)), errors.joined(separator: ", "),
        ]
    }

    /// Formats a time in a unit with few digits.
    private static func time(_ microseconds: Int?) -> String {
        switch microseconds {
        case nil: ""
        case let time? where time < 10_000: "\(time) µs"
        case let time? where time < 10_000_000: "\(time / 1_000) ms"
        case let time?: "\(time / 1_000_000) s"
        }
    }
}
