import NIOHTTP1
import RPC

/// Why a request is no request: it ends its connection, because nobody knows where the next one begins.
struct RequestRefusal: Equatable {
    let status: Int
    let kind: ErrorKind
    let reason: String

    /// - Returns: nil for what is no fault of the client's bytes.
    init?(_ error: any Error) {
        guard let error = error as? HTTPParserError else { return nil }
        if case .headerOverflow = error {
            self.init(status: 431, kind: .tooLarge, reason: "the request's first line, or its fields, are too long")
        } else {
            self.init(status: 400, kind: .invalidRequest, reason: "this is not an HTTP/1.1 request")
        }
    }

    /// - Returns: nil when there is nothing against it.
    init?(_ head: HTTPRequestHead) {
        // Who passes on what he reads would send it to another host than we think (RFC 9112 §3.2).
        guard head.version != .http1_0, head.headers["host"].count != 1 else { return nil }
        self.init(status: 400, kind: .invalidRequest, reason: "a request must have one Host field")
    }

    private init(status: Int, kind: ErrorKind, reason: String) {
        self.status = status
        self.kind = kind
        self.reason = reason
    }

    /// What the client gets to read. It has told nothing of a trace that could be trusted.
    var problem: Problem { Problem(kind, reason, status: status, trace: .random()) }
}
