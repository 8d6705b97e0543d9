import HTTPTypes
import NIOCore
import Presentation
import RPC

/// A whole answer, so that it leaves in one write: some clients take 42 ms longer over two.
struct HTTPAnswer: Sendable {
    var status: HTTPResponse.Status
    var fields = HTTPFields()
    var body = ByteBuffer()

    /// The error that this answer tells of, in full.
    private(set) var failure: RPCError?

    init(_ status: HTTPResponse.Status) { self.status = status }

    /// The same for a client that has what it asks for.
    func notModified() -> HTTPAnswer {
        var answer = self
        answer.status = .notModified
        answer.body.clear()
        for name in [HTTPField.Name.contentType, .contentEncoding, .contentRange] { answer.fields[name] = nil }
        return answer
    }

    /// The tag of the representation whose bytes are the whole body; nil for any other body.
    var representationTag: String? { status == .ok ? fields[.eTag] : nil }

    /// The head as it is sent. A `HEAD` request is answered as a `GET`, without the body.
    func head(for method: HTTPRequest.Method) -> HTTPResponse {
        var head = HTTPResponse(status: status, headerFields: fields)
        if status != .notModified { head.headerFields[.contentLength] = "\(body.readableBytes)" }
        return head
    }
}

extension HTTPAnswer {
    init(_ problem: Problem) {
        self.init(HTTPStatus.of(problem.status))
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        body = ByteBuffer(bytes: problem.json.bytes)
    }

    /// The problem that an error is for a client, and when to come back if that may help.
    init(_ error: RPCError, trace: TraceContext) {
        // A reader of URLs knows of no params.
        let detail = error.presented(in: .en).message.trimmingPrefix("params.")
        self.init(Problem(error.kind, String(detail), trace: trace))
        failure = error
        switch error.kind {
        case .overloaded, .unavailable: fields[.retryAfter] = "\(Self.seconds(error.retryAfter))"
        default: break
        }
    }

    /// Whole seconds, rounded up: earlier is too early.
    static func seconds(_ milliseconds: Int?) -> Int {
        max(HTTPLimits.retryAfterSeconds, ((milliseconds ?? 0) + 999) / 1_000)
    }
}
