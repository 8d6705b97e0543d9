import BenchKit

/// When calls count: from the end of the warm-up on. No call begins after the end.
struct Period: Sendable {
    let from: Int64
    let until: Int64

    /// How many calls one tally takes, whatever the time; nil where only time counts.
    let callsPerTally: Int?

    /// Begins now.
    /// - Parameter tallies: how many share the load's calls.
    init(_ load: Load, tallies: Int) {
        callsPerTally = load.calls.map { $0 / tallies }
        from = MonotonicTime.now() + Int64(load.warmUpSeconds * 1e9)
        until = from + Int64(load.seconds * 1e9)
    }
}

/// What callers have seen.
struct Tally: Sendable {
    let period: Period
    var latencies = Latencies()
    private(set) var allCalls = 0
    var shed = 0
    var largeCalls = 0
    private(set) var end: Int64 = 0

    init(_ period: Period) { self.period = period }

    /// Notes a call, unless it began while warming up.
    /// - Returns: whether its caller shall make another one.
    mutating func add(from start: Int64, to end: Int64) -> Bool {
        allCalls += 1
        if start >= period.from {
            latencies.add(end - start)
            self.end = max(self.end, end)
        }
        if let calls = period.callsPerTally { return allCalls < calls }
        return end < period.until || latencies.count == 0
    }

    /// Notes a call that was shed: it is no answered call, and has no latency.
    /// - Returns: whether its caller shall make another one.
    mutating func addShed(at end: Int64) -> Bool {
        shed += 1
        return end < period.until
    }

    /// Notes a call that is only load.
    mutating func addUnmeasured() { allCalls += 1 }

    mutating func add(_ other: Tally) {
        latencies.add(other.latencies)
        allCalls += other.allCalls
        shed += other.shed
        largeCalls += other.largeCalls
        end = max(end, other.end)
    }
}
