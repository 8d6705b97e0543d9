import NIOHTTP1
import RPC

/// The reason for refusing a request whose bytes are invalid. The connection then ends, because the start of the next
/// request is unknown.
struct RequestRefusal: Equatable {
    let status: Int
    let kind: ErrorKind
    let reason: String

    /// - Returns: nil for an error that the client did not cause.
    init?(_ error: any Error) {
        guard let error = error as? HTTPParserError else { return nil }
        if case .headerOverflow = error {
            self.init(status: 431, kind: .tooLarge, reason: "the request line or the header fields are too long")
        } else {
            self.init(status: 400, kind: .invalidRequest, reason: "this is not an HTTP/1.1 request")
        }
    }

    /// - Returns: nil for a valid head.
    init?(_ head: HTTPRequestHead) {
        if let refusal = Self.refusal(ofCodings: head) ?? Self.refusal(ofExpectations: head) {
            self = refusal
            return
        }
        // A proxy might interpret an ambiguous host differently (RFC 9112 §3.2). Only HTTP/1.0 requests may omit the
        // field.
        let hosts = head.headers["host"]
        if hosts.isEmpty, head.version == .http1_0 { return nil }
        guard hosts.count == 1, let host = hosts.first else {
            self.init(status: 400, kind: .invalidRequest, reason: "a request must have one Host field")
            return
        }
        guard !HostField.isValid(host) else { return nil }
        self.init(status: 400, kind: .invalidRequest, reason: "the Host field must be a host, optionally with a port")
    }

    /// The end of a body is known only with the transfer coding `chunked`, which is the only one that is read (RFC 9112 §6.1, §6.3).
    private static func refusal(ofCodings head: HTTPRequestHead) -> RequestRefusal? {
        let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        guard !codings.isEmpty, codings != ["chunked"] || head.version == .http1_0 else { return nil }
        guard codings.firstIndex(of: "chunked") == codings.count - 1, head.version == .http1_1 else {
            return RequestRefusal(
                status: 400, kind: .invalidRequest, reason: "the last transfer coding must be chunked, once")
        }
        return RequestRefusal(
            status: 501, kind: .invalidRequest, reason: "no transfer coding other than chunked is supported")
    }

    /// A client that expects something else than `100-continue` waits with its body for it (RFC 9110 §10.1.1).
    private static func refusal(ofExpectations head: HTTPRequestHead) -> RequestRefusal? {
        guard head.version == .http1_1, !head.expectations.isSubset(of: [HTTPRequestHead.continuation]) else {
            return nil
        }
        return RequestRefusal(
            status: 417, kind: .invalidRequest, reason: "no expectation other than 100-continue is supported")
    }

    private init(status: Int, kind: ErrorKind, reason: String) {
        self.status = status
        self.kind = kind
        self.reason = reason
    }

    /// The answer for the client. Its trace id is new, because the head of the request is not trusted.
    var problem: Problem { Problem(kind, reason, status: status, trace: .random()) }
}

extension HTTPRequestHead {
    static let continuation = "100-continue"

    /// The values of `Expect`.
    var expectations: Set<String> {
        Set(headers[canonicalForm: "expect"].map { $0.lowercased() }.filter { !$0.isEmpty })
    }
}
