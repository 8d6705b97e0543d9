import NIOCore

/// How long calls took.
struct Latencies: Sendable {
    private var nanoseconds: [Int64] = []

    /// From the first to the last, when calls were made one after the other.
    var total: Double { Double(nanoseconds.reduce(0, +)) / 1e9 }

    var count: Int { nanoseconds.count }

    mutating func add(_ time: TimeAmount) { nanoseconds.append(time.nanoseconds) }

    mutating func add(_ other: Latencies) { nanoseconds += other.nanoseconds }

    /// - Parameter fraction: 0.5 for the median.
    func percentile(_ fraction: Double) -> Double {
        guard !nanoseconds.isEmpty else { return .nan }
        let sorted = nanoseconds.sorted()
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]) / 1_000
    }
}

/// One line of the comparison: medians over the rounds.
struct CaseResult {
    let name: String
    let subject: String
    let p50: Double
    let p99: Double
    let callsPerSecond: Double

    /// - Parameter seconds: how long a round took; nil when its calls were made one after the other.
    init(name: String, subject: String, rounds: [Latencies], seconds: Double? = nil) {
        self.name = name
        self.subject = subject
        p50 = Self.median(rounds.map { $0.percentile(0.5) })
        p99 = Self.median(rounds.map { $0.percentile(0.99) })
        callsPerSecond = Self.median(rounds.map { Double($0.count) / (seconds ?? $0.total) })
    }

    private static func median(_ values: [Double]) -> Double {
        values.isEmpty ? .nan : values.sorted()[values.count / 2]
    }
}
