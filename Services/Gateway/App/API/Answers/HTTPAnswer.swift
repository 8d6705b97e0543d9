import HTTPTypes
import NIOCore
import Presentation
import RPC

/// An answer. It is complete, so that it is sent with one write (with two, some clients take 42 ms longer), unless it has
/// events.
struct HTTPAnswer: Sendable {
    var status: HTTPResponse.Status
    var fields = HTTPFields()
    var body = ByteBuffer()

    /// The reader to which events are sent in place of `body`; nil for a complete answer.
    var events: (any EventReader)?

    /// The template of the path; nil when no endpoint has the path and the method.
    var route: String?

    /// The complete error that this answer reports, for the log.
    private(set) var failure: RPCError?

    init(_ status: HTTPResponse.Status) { self.status = status }

    /// Notes the error that this answer reports.
    mutating func note(_ error: RPCError) {
        failure = error
        switch error.kind {
        case .overloaded, .unavailable: fields[.retryAfter] = "\(Self.seconds(error.retryAfter))"
        default: break
        }
    }

    /// The `304 Not Modified` answer for a client that has this representation.
    func notModified() -> HTTPAnswer {
        var answer = self
        answer.status = .notModified
        answer.body.clear()
        for name in [HTTPField.Name.contentType, .contentEncoding, .contentRange] { answer.fields[name] = nil }
        return answer
    }

    /// The entity tag if the body is a whole representation; nil for any other body.
    var representationTag: String? { status == .ok ? fields[.eTag] : nil }

    /// The head to send. A `HEAD` request gets the head of the `GET` answer.
    func head(for method: HTTPRequest.Method) -> HTTPResponse {
        var head = HTTPResponse(status: status, headerFields: fields)
        if status != .notModified, status != .noContent, events == nil {
            head.headerFields[.contentLength] = "\(body.readableBytes)"
        }
        return head
    }
}

extension HTTPAnswer {
    init(_ problem: Problem) {
        self.init(HTTPStatus.of(problem.status))
        fields[.contentType] = Problem.contentType
        fields[.cacheControl] = "no-store"
        body = ByteBuffer(bytes: problem.json.bytes)
    }

    /// The problem document for an error, with `Retry-After` if a retry may succeed.
    init(_ error: RPCError, trace: TraceContext) {
        // HTTP clients do not know RPC parameters.
        let detail = error.presented(in: .en).message.trimmingPrefix("params.")
        self.init(Problem(error.kind, String(detail), trace: trace))
        note(error)
    }

    /// The value of `Retry-After`: whole seconds, rounded up so that clients do not retry too early.
    static func seconds(_ milliseconds: Int?) -> Int {
        max(HTTPLimits.retryAfterSeconds, ((milliseconds ?? 0) + 999) / 1_000)
    }
}
