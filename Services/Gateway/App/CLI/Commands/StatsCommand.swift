import ArgumentParser
import Foundation
import JSON
import RPC

struct StatsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show calls, errors and latencies of the last minute and since the start.",
        discussion: """
            Examples:
              gateway stats                the gateway, including forwarded calls
              gateway stats feed           one service
              gateway stats feed --json    as JSON, with the whole histograms
              gateway stats --watch        a live table of the last minute

            A row is a method, NAME.* all calls that the gateway forwards to a service, and GET /v1/feed the HTTP requests of a \
            route. A latency is the time from reading a call to answering it. p50 and p99 are upper bounds, rounded up to a \
            power of two.
            """)

    static let parameterNames = ["service": "the service"]

    @OptionGroup var client: ClientOptions

    @Argument(help: "The service; default: the gateway.", completion: .services) var service: String?

    @Flag(help: "Refresh the table every second until Ctrl-C.") var watch = false

    private static let interval = Duration.seconds(1)

    func run(_ session: Session) async throws {
        let selection = ServiceSelection(service: service)
        guard watch else {
            _ = try await session.show(ProtocolMethods.stats, selection) {
                StatisticsText(statistics: $0, output: session.output).whole
            }
            return
        }
        var isFirst = true
        while true {
            let result = try await session.call(
                ProtocolMethods.stats.name, RawJSON(selection, as: ServiceSelection.codec))
            if session.asJSON {
                session.output.print(result)
            } else {
                let statistics = try result.read(as: Statistics.codec)
                let text = StatisticsText(statistics: statistics, output: session.output).ofLastMinute
                session.output.redraw(text, isFirst: isFirst)
            }
            isFirst = false
            try await session.clock.sleep(for: Self.interval)
        }
    }
}

/// Formats statistics as text.
struct StatisticsText {
    let statistics: Statistics
    let output: Output

    /// The last minute and the time since the start.
    var whole: String {
        let sinceStart = table([Self.calls, Self.mean]) { $0.sinceStart }
        let parts = [summary, lastMinute.map { "In the last minute\n\($0)" }, "Since the start\n\(sinceStart)"]
        return parts.compactMap(\.self).joined(separator: "\n\n")
    }

    var ofLastMinute: String { [summary, lastMinute ?? "No calls in the last minute."].joined(separator: "\n") }

    /// Nil without calls.
    private var lastMinute: String? {
        // The process may be younger.
        let seconds = Double(min(max(statistics.process.uptime, 1), 60))
        let rate = Column(head: "CALLS/S") { Self.rate(Double($0.calls) / seconds) }
        guard rows.contains(where: { ($0.1.lastMinute?.calls ?? 0) > 0 }) else { return nil }
        return table([rate]) { $0.lastMinute.flatMap { $0.calls > 0 ? $0 : nil } }
    }

    /// The methods, then the HTTP requests.
    private var rows: [(String, MethodStatistics)] {
        statistics.methods.sorted { $0.key < $1.key } + statistics.measures.requests.sorted { $0.key < $1.key }
    }

    private struct Column {
        let head: String
        let text: @Sendable (CallCounts) -> String
    }

    private static let calls = Column(head: "CALLS") { "\($0.calls)" }

    private static let mean = Column(head: "MEAN") { counts in
        time(counts.latency.count == 0 ? nil : counts.latency.sumMicroseconds / counts.latency.count)
    }

    private static let latencies = [
        Column(head: "P50 ≤") { time($0.latency.bound(ofPart: 0.5)) },
        Column(head: "P99 ≤") { time($0.latency.bound(ofPart: 0.99)) },
    ]

    /// - Parameter counts: nil for a method without a row.
    private func table(_ first: [Column], _ counts: (MethodStatistics) -> CallCounts?) -> String {
        let columns = first + Self.latencies
        let heads =
            [TextTable.Column("METHOD")] + columns.map { TextTable.Column($0.head, align: .right) }
            + [TextTable.Column("UNDER WAY", align: .right), TextTable.Column("ERRORS", fit: .wrap)]
        let cells = rows.compactMap { name, method in
            counts(method).map { counts in
                let errors = counts.errors.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
                return [name] + columns.map { $0.text(counts) }
                    + [method.underWay.map(String.init) ?? "", errors.joined(separator: ", ")]
            }
        }
        return TextTable(heads, rows: cells).rendered(in: output.columns, style: output.style)
    }

    private var summary: String {
        let process = statistics.process
        let parts = [
            "up \(process.uptime) s", Self.count(process.connections, "connection"),
            Self.count(process.handlers, "handler"), Self.count(process.queuedBytes, "byte") + " queued",
            process.memoryBytes.map { "\($0 / 1_024 / 1_024) MiB of memory" },
        ]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return output.folded(text)
    }

    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// For example `12.5`, or `1234` from 100 on.
    private static func rate(_ rate: Double) -> String {
        rate < 100 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate.rounded()))"
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
