import Foundation

/// What a measuring program prints, as one line of JSON.
struct Measurement: Codable, Sendable {
    /// Microseconds.
    let p50: Double
    let p99: Double

    let calls: Int

    /// With those of the warm-up and the very first; large ones are not among them.
    let allCalls: Int

    /// From the end of the warm-up to the last answer.
    let seconds: Double

    /// How often a call was refused because of overload; its caller waited as it was told and called again.
    let shed: Int

    /// How many of the large calls beside began after the warm-up.
    let largeCalls: Int

    /// When the very first call was answered, by `WallClock`.
    let firstAnswer: Int64

    var callsPerSecond: Double { Double(calls) / seconds }

    init(_ tally: Tally, firstAnswer: Int64) {
        let percentiles = tally.latencies.percentiles([0.5, 0.99])
        (p50, p99) = (percentiles[0], percentiles[1])
        calls = tally.latencies.count
        allCalls = tally.allCalls + 1
        seconds = Double(max(tally.end - tally.period.from, 1)) / 1e9
        shed = tally.shed
        largeCalls = tally.largeCalls
        self.firstAnswer = firstAnswer
    }

    func printLine() throws {
        print(String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }
}

/// When calls count: from the end of the warm-up on; nobody begins one after the end.
struct Period: Sendable {
    let from: Int64
    let until: Int64

    /// Begins now.
    init(_ load: Load) {
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
        return end < period.until || latencies.count == 0
    }

    mutating func add(_ other: Tally) {
        latencies.add(other.latencies)
        allCalls += other.allCalls
        shed += other.shed
        largeCalls += other.largeCalls
        end = max(end, other.end)
    }
}
