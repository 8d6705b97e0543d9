/// The latencies of calls.
package struct Latencies: Sendable {
    private var nanoseconds: [Int64] = []

    package init() {}

    package var count: Int { nanoseconds.count }

    /// The sum of all latencies: the total time of sequential calls.
    package var totalSeconds: Double { Double(nanoseconds.reduce(0, +)) / 1e9 }

    package mutating func add(_ time: Int64) { nanoseconds.append(time) }

    package mutating func add(_ other: Latencies) { nanoseconds += other.nanoseconds }

    /// The percentiles in microseconds. There must be at least one latency.
    /// - Parameter fractions: 0.5 for the median.
    package func percentiles(_ fractions: [Double]) -> [Double] {
        let sorted = nanoseconds.sorted()
        return fractions.map { Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * $0))]) / 1_000 }
    }
}
