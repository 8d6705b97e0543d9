import ArgumentParser
import Foundation
import JSON
import NIOCore
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
              gateway stats --watch        a live table, with calls per second

            Counts begin when the process starts. A latency is the time from reading a call to answering it. \
            p50 and p99 are upper bounds, rounded up to a power of two.
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
                StatisticsText(output: session.output).text($0, rates: nil)
            }
            return
        }
        var last: (statistics: Statistics, time: NIODeadline)?
        while true {
            let result = try await session.call(
                ProtocolMethods.stats.name, RawJSON(selection, as: ServiceSelection.codec))
            let (statistics, now) = (try result.read(as: Statistics.codec), session.clock.now)
            let rates = last.map { CallRates(from: $0.statistics, to: statistics, in: session.time(since: $0.time)) }
            if session.asJSON {
                session.output.print(result)
            } else {
                let text = StatisticsText(output: session.output).text(statistics, rates: rates ?? CallRates())
                session.output.redraw(text, isFirst: last == nil)
            }
            last = (statistics, now)
            try await session.clock.sleep(for: Self.interval)
        }
    }
}

/// The calls per second of each method between two moments.
struct CallRates: Equatable {
    private(set) var perSecond: [String: Double] = [:]

    init() {}

    /// A process that has restarted in between counts from 0 again.
    init(from before: Statistics, to after: Statistics, in time: Duration) {
        perSecond = after.methods.mapValues { Double($0.calls) }
        for (name, method) in before.methods where method.calls <= after.methods[name]?.calls ?? 0 {
            perSecond[name]? -= Double(method.calls)
        }
        perSecond = perSecond.mapValues { $0 / max(time / .seconds(1), 0.001) }
    }

    /// For example `12.5`, or `1234` from 100 on.
    func text(of method: String) -> String {
        guard let rate = perSecond[method] else { return "" }
        return rate < 100 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate.rounded()))"
    }
}

/// Formats statistics as text.
struct StatisticsText {
    let output: Output

    /// - Parameter rates: nil without a column for calls per second.
    func text(_ statistics: Statistics, rates: CallRates?) -> String {
        // The live table has rates in place of means, so that it fits into 80 columns.
        let rate = rates.map { _ in TextTable.Column("CALLS/S", align: .right) }
        let mean = rates == nil ? TextTable.Column("MEAN", align: .right) : nil
        let columns: [TextTable.Column?] = [
            TextTable.Column("METHOD"), TextTable.Column("CALLS", align: .right), rate,
            TextTable.Column("UNDER WAY", align: .right), mean,
            TextTable.Column("P50 ≤", align: .right), TextTable.Column("P99 ≤", align: .right),
            TextTable.Column("ERRORS", fit: .wrap),
        ]
        let rows = statistics.methods.sorted { $0.key < $1.key }.map { row($0.key, $0.value, rates) }
        let table = TextTable(columns.compactMap(\.self), rows: rows).rendered(in: output.columns, style: output.style)
        return summary(statistics.process) + "\n" + table
    }

    private func summary(_ process: ProcessStatistics) -> String {
        let parts = [
            "up \(process.uptime) s", Self.count(process.connections, "connection"),
            Self.count(process.handlers, "handler"), Self.count(process.queuedBytes, "byte") + " queued",
            process.memoryBytes.map { "\($0 / 1_024 / 1_024) MiB of memory" },
        ]
        let text = parts.compactMap(\.self).joined(separator: ", ")
        return output.folded(text)
    }

    private func row(_ name: String, _ method: MethodStatistics, _ rates: CallRates?) -> [String] {
        let latency = method.latency
        let errors = method.errors.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        let mean = Self.time(latency.count == 0 ? nil : latency.sumMicroseconds / latency.count)
        let cells: [String?] = [
            name, "\(method.calls)", rates?.text(of: name), "\(method.underWay)",
            rates == nil ? mean : nil,
            Self.time(latency.bound(ofPart: 0.5)),
            Self.time(latency.bound(ofPart: 0.99)), errors.joined(separator: ", "),
        ]
        return cells.compactMap(\.self)
    }

    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

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
