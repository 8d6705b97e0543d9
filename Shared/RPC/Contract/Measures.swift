/// What only the service itself can measure, for `rpc.stats`.
///
/// A name is `[a-z][a-z0-9_]*` and ends with its unit: `store_bytes`. That of a counter is plural, and without `_total`:
/// `cold_cache_hits`.
public struct Measures: Sendable, Equatable {
    /// Numbers that rise and fall.
    public var gauges: [String: Int]

    /// Numbers that only rise while the process runs.
    public var counters: [String: Int]

    /// HTTP requests by method and route, such as `GET /v1/feed`. Their errors are the statuses from 400 on.
    public var requests: [String: MethodStatistics]

    public init(
        gauges: [String: Int] = [:], counters: [String: Int] = [:], requests: [String: MethodStatistics] = [:]
    ) {
        (self.gauges, self.counters, self.requests) = (gauges, counters, requests)
    }

    /// Adds others; the names must differ.
    public func adding(_ other: Measures) -> Measures {
        Measures(
            gauges: gauges.merging(other.gauges) { own, _ in own },
            counters: counters.merging(other.counters) { own, _ in own },
            requests: requests.merging(other.requests) { own, _ in own })
    }
}
