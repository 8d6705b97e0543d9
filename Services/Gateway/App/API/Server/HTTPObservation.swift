import HTTPTypes
import NIOCore
import RPC

/// What is known of a request whose answer was sent or given up. The log and the metrics are made of it.
struct HTTPObservation: Sendable {
    let request: HTTPRequest
    let trace: TraceContext
    let caller: HTTPCaller

    /// The template of the path; nil when no endpoint has the path and the method.
    private(set) var route: String?

    /// The status of the answer; nil when nothing was sent.
    private(set) var status: Int?

    /// The error that the answer reports.
    private(set) var failure: RPCError?

    /// The bytes of the body that were sent.
    private(set) var bytes = 0

    /// Whether the answer is a stream of events, whose total time is no latency.
    private(set) var isStream = false

    /// From reading the request to the first byte of the answer; nil when nothing was sent.
    private(set) var timeToFirstByte: TimeAmount?

    /// From reading the request to the end of the answer.
    private(set) var time = TimeAmount.zero

    /// The calls to services that the answer needed.
    let calls = CallTimes()

    private let start: NIODeadline

    init(_ request: HTTPRequest, _ trace: TraceContext, _ caller: HTTPCaller, at start: NIODeadline) {
        (self.request, self.trace, self.caller, self.start) = (request, trace, caller, start)
    }

    /// Notes the answer of the API, which may be given up before it is sent.
    mutating func note(_ answer: HTTPAnswer) {
        route = answer.route
        failure = answer.failure
    }

    /// Notes that the answer is about to be sent.
    mutating func begin(_ answer: HTTPAnswer, at now: NIODeadline) {
        (status, failure) = (answer.status.code, answer.failure)
        isStream = answer.events != nil
        timeToFirstByte = now - start
    }

    /// How long the client waits for the answer to begin. The rest depends on how fast the client reads.
    var waitingTime: TimeAmount { timeToFirstByte ?? time }

    mutating func sent(_ bytes: Int) { self.bytes += bytes }

    mutating func end(at now: NIODeadline) { time = now - start }
}
