/// What only the service itself can measure, for `rpc.stats`.
///
/// A name is `[a-z][a-z0-9_]*` and ends with its unit: `store_bytes`. That of a counter is plural, and without `_total`:
/// `cold_cache_hits`.
public struct Measures: Sendable, Equatable {
    /// Numbers that rise and fall.
    public var gauges: [String: Int]

    /// Numbers that only rise while the process runs.
    public var counters: [String: Int]

    public init(gauges: [String: Int] = [:], counters: [String: Int] = [:]) {
        (self.gauges, self.counters) = (gauges, counters)
    }

    /// Adds others; the names must differ.
    public func adding(_ other: Measures) -> Measures {
        Measures(
            gauges: gauges.merging(other.gauges) { own, _ in own },
            counters: counters.merging(other.counters) { own, _ in own })
    }
}
