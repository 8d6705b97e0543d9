import BenchKit

/// The results of one round of one subject.
struct Round: Sendable {
    /// Microseconds.
    let p50: Double
    let p99: Double
    let callsPerSecond: Double

    /// The server's processor time in microseconds; nil if it cannot be assigned to the measured calls.
    var processorTimePerCall: Double?

    /// The number of concurrent large calls answered per second; nil without such calls.
    var largeCallsPerSecond: Double?

    /// The number of calls refused because of overload.
    var shed = 0
}

extension Round {
    /// - Parameter processorTime: the server's processor time during the round, in microseconds.
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
