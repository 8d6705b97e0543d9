import BenchKit

/// What one round of one subject has shown.
struct Round: Sendable {
    /// Microseconds.
    let p50: Double
    let p99: Double
    let callsPerSecond: Double

    /// Of the server, in microseconds; nil where it is not known for which calls it was.
    var processorTimePerCall: Double?

    /// How many of the large calls beside were answered in a second; nil where there were none.
    var largeCallsPerSecond: Double?

    /// How many calls were refused because of overload and made again.
    var shed = 0
}

extension Round {
    /// - Parameter processorTime: of the server during the round, in microseconds.
    init(_ measurement: Measurement, processorTime: Double) {
        let isMixed = measurement.largeCalls > 0
        self.init(
            p50: measurement.p50, p99: measurement.p99, callsPerSecond: measurement.callsPerSecond,
            processorTimePerCall: isMixed ? nil : processorTime / Double(measurement.allCalls),
            largeCallsPerSecond: isMixed ? Double(measurement.largeCalls) / measurement.seconds : nil,
            shed: measurement.shed)
    }
}

extension CallFinding {
    /// The medians of the rounds.
    init(name: String, subject: String, rounds: [Round], resident: Int?, problem: String? = nil) {
        self.init(
            name: name, subject: subject, p50: median(rounds.map(\.p50)), p99: median(rounds.map(\.p99)),
            callsPerSecond: median(rounds.map(\.callsPerSecond)),
            processorTimePerCall: median(rounds.compactMap(\.processorTimePerCall)), resident: resident,
            shed: rounds.reduce(0) { $0 + $1.shed },
            largeCallsPerSecond: median(rounds.compactMap(\.largeCallsPerSecond)), rounds: rounds, problem: problem)
    }
}
