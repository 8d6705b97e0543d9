import ArgumentParser
import RPC

struct StatsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Count calls, errors and latencies by method, and tell how a process is doing.",
        discussion: """
            Examples:
              gateway stats                the gateway itself, and what went through it
              gateway stats feed           one service
              gateway stats feed --json    with the whole histograms

            Counts begin with the process. Latencies go from reading a call to answering it; of the p50 and p99 a power \
            of two is known that they do not exceed.
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: "One service; default: the gateway itself.") var service: String?

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

    /// To the unit that people can compare.
    private static func time(_ microseconds: Int?) -> String {
        switch microseconds {
        case nil: ""
        case let time? where time < 10_000: "\(time) µs"
        case let time? where time < 10_000_000: "\(time / 1_000) ms"
        case let time?: "\(time / 1_000_000) s"
        }
    }
}
