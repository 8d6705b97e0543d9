import BenchKit

/// The measured period, which begins after the warm-up. No call begins after its end.
struct Period: Sendable {
    let from: Int64
    let until: Int64

    /// The number of calls of one tally, whatever time they take; nil if only the time limits them.
    let callsPerTally: Int?

    /// A period that begins now.
    /// - Parameter tallies: the number of tallies that share the load's calls.
    init(_ load: Load, tallies: Int) {
        callsPerTally = load.calls.map { $0 / tallies }
        from = MonotonicTime.now() + Int64(load.warmUpSeconds * 1e9)
        until = from + Int64(load.seconds * 1e9)
    }
}

/// The measurements of callers.
struct Tally: Sendable {
    let period: Period
    var latencies = Latencies()
    private(set) var allCalls = 0
    var shed = 0
    var largeCalls = 0
    private(set) var end: Int64 = 0

    init(_ period: Period) { self.period = period }

    /// Notes a call, unless it began during the warm-up.
    /// - Returns: whether its caller makes another call.
    mutating func add(from start: Int64, to end: Int64) -> Bool {
        allCalls += 1
        if start >= period.from {
            latencies.add(end - start)
            self.end = max(self.end, end)
        }
        if let calls = period.callsPerTally { return allCalls < calls }
        return end < period.until || latencies.count == 0
    }

    /// Notes a shed call, which has no latency.
    /// - Returns: whether its caller makes another call.
    mutating func addShed(at end: Int64) -> Bool {
        shed += 1
        return end < period.until
    }

    /// Notes an unmeasured call.
    mutating func addUnmeasured() { allCalls += 1 }

    mutating func add(_ other: Tally) {
        latencies.add(other.latencies)
        allCalls += other.allCalls
        shed += other.shed
        largeCalls += other.largeCalls
        end = max(end, other.end)
    }
}
