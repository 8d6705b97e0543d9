/// Why a request has no usable response.
public enum UpstreamError: Error, Sendable {
    /// The URL or a redirect violates a rule. No request was sent to it.
    case refused(Refusal)

    /// No connection: the name is unknown, no server listens, or there is no route.
    case unreachable(host: String, reason: String)

    /// A time limit expired.
    /// - Parameter partial: the part of the response received so far, to resume with `Range`; nil when it cannot be resumed.
    case timedOut(Stage, limit: Duration, partial: UpstreamResponse? = nil)

    /// The response exceeds a size limit, in bytes.
    case tooLarge(Part, limit: Int)

    /// The response is not valid HTTP, or is ambiguous.
    case malformed(String)

    /// The connection ended inside the response.
    /// - Parameter partial: the part of the response received so far, to resume with `Range`; nil when it cannot be resumed.
    case interrupted(partial: UpstreamResponse?, reason: String)

    /// The host has a valid certificate, but none of its pins names the key.
    case pinMismatch(host: String)

    /// The host's certificate is not valid, or the TLS handshake failed.
    case tls(host: String, reason: String)

    /// More than this many redirects.
    case tooManyRedirects(limit: Int)

    /// The client has too many requests at once.
    case overloaded(String)

    /// The caller's task was cancelled.
    case cancelled

    /// The client was shut down.
    case shutDown

    /// The time limit that expired.
    public enum Stage: Sendable, Equatable { case connect, firstByte, stall, total }

    /// The part of a response that was too large.
    public enum Part: Sendable, Equatable { case header, declaredBody, body, inflatedBody }

    /// The received part of an incomplete response, to resume with `Range`: its status, its headers and the first bytes of its
    /// body.
    public var partial: UpstreamResponse? {
        switch self {
        case .timedOut(_, _, let partial), .interrupted(let partial, _): partial
        default: nil
        }
    }
}
