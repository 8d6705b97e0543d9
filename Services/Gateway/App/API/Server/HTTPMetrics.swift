import HTTPTypes
import NIOCore
import RPC
import Timing

/// Counts what the HTTP server does, since the process started.
final class HTTPMetrics: Sendable {
    /// A path template and a method; the number of different ones is bounded.
    struct Endpoint: Hashable, Sendable {
        let route: String
        let method: String
    }

    struct Answers: Sendable {
        /// The number of answers by status; `none` counts requests that were given up before their answer.
        var byStatus: [String: Int] = [:]

        /// The bytes of bodies.
        var bytes = 0

        /// From reading a request to the first byte of its answer.
        var timeToFirstByte = LatencyHistogram()

        /// From reading a request to the end of its answer, without streams of events.
        var time = LatencyHistogram()

        var lastMinute = LastMinute<CallCounts>()
    }

    struct Counts: Sendable {
        var connections = 0

        /// Requests without a complete answer.
        var underWay = 0
        var endpoints: [Endpoint: Answers] = [:]
    }

    private let state = Watched(Counts())

    var counts: Counts { state.withLock { $0 } }

    /// Returns once the counts fulfil the condition.
    func wait(until isSo: @escaping @Sendable (Counts) -> Bool) async { await state.wait(until: isSo) }

    func connectionOpened() { state.withLock { $0.connections += 1 } }

    func connectionClosed() { state.withLock { $0.connections -= 1 } }

    func requestBegan() { state.withLock { $0.underWay += 1 } }

    /// Counts a request that `requestBegan` has counted.
    func note(_ observation: HTTPObservation, at now: NIODeadline) {
        let endpoint = Endpoint(
            route: observation.route ?? Self.unknown, method: Self.label(of: observation.request.method))
        state.withLock { counts in
            counts.underWay -= 1
            counts.endpoints[endpoint, default: Answers()].add(observation, at: now)
        }
    }

    /// Counts bytes that were no valid request and were refused.
    func noteRefusal(_ status: Int, at now: NIODeadline) {
        state.withLock { counts in
            counts.endpoints[Endpoint(route: Self.unknown, method: Self.unknown), default: Answers()]
                .add("\(status)", nil, at: now)
        }
    }

    /// The requests by method and route, for `rpc.stats`.
    func statistics(at now: NIODeadline) -> [String: MethodStatistics] {
        let endpoints = counts.endpoints.map { ("\($0.method) \($0.route)", $1.statistics(at: now)) }
        return Dictionary(endpoints, uniquingKeysWith: { first, _ in first })
    }

    /// The route of paths without an endpoint, and the method of requests that are not valid.
    private static let unknown = "unknown"

    /// Clients may send any method.
    private static func label(of method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .options: method.rawValue
        default: "other"
        }
    }
}

extension HTTPMetrics.Answers {
    fileprivate mutating func add(_ observation: HTTPObservation, at now: NIODeadline) {
        bytes += observation.bytes
        if let first = observation.timeToFirstByte { timeToFirstByte.add(first) }
        let isLatency = !observation.isStream && observation.status != nil
        add(observation.status.map(String.init) ?? "none", isLatency ? observation.time : nil, at: now)
    }

    fileprivate mutating func add(_ status: String, _ time: TimeAmount?, at now: NIODeadline) {
        byStatus[status, default: 0] += 1
        if let time { self.time.add(time) }
        lastMinute.add(at: now) { counts in
            counts.calls += 1
            if Self.isError(status) { counts.errors[status, default: 0] += 1 }
            if let time { counts.latency.add(time) }
        }
    }

    fileprivate func statistics(at now: NIODeadline) -> MethodStatistics {
        MethodStatistics(
            sinceStart: CallCounts(
                calls: byStatus.values.reduce(0, +), errors: byStatus.filter { Self.isError($0.key) }, latency: time),
            lastMinute: lastMinute.counts(at: now))
    }

    private static func isError(_ status: String) -> Bool { Int(status).map { $0 >= 400 } ?? true }
}
