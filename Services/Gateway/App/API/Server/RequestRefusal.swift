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
        // A proxy before or behind us could read another host than we do (RFC 9112 §3.2). Only HTTP/1.0 may leave it out.
        let hosts = head.headers["host"]
        if hosts.isEmpty, head.version == .http1_0 { return nil }
        guard hosts.count == 1, let host = hosts.first else {
            self.init(status: 400, kind: .invalidRequest, reason: "a request must have one Host field")
            return
        }
        guard !HostField.isValid(host) else { return nil }
        self.init(status: 400, kind: .invalidRequest, reason: "the Host field must be a host, or a host and a port")
    }

    private init(status: Int, kind: ErrorKind, reason: String) {
        self.status = status
        self.kind = kind
        self.reason = reason
    }

    /// What the client gets to read. It has told nothing of a trace that could be trusted.
    var problem: Problem { Problem(kind, reason, status: status, trace: .random()) }
}
