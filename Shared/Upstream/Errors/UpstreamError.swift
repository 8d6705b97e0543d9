/// Why a request has no response that could be used.
public enum UpstreamError: Error, Sendable {
    /// It goes against the rules; nobody was asked, or nobody further.
    case refused(Refusal)

    /// Nobody could be asked: no such name, nobody listening, no way there.
    case unreachable(host: String, reason: String)

    /// - Parameter partial: what had come of the body, to be resumed with `Range`; nil when nothing of use had.
    case timedOut(Stage, limit: Duration, partial: UpstreamResponse? = nil)

    /// The response goes beyond a limit.
    case tooLarge(Part, limit: Int)

    /// What came is no HTTP response, or one that could be read in two ways.
    case malformed(String)

    /// The connection ended inside the response.
    /// - Parameter partial: what had come of the body, to be resumed with `Range`; nil when nothing of use had.
    case interrupted(partial: UpstreamResponse?, reason: String)

    /// The host has a valid certificate, but not with a key that one of its pins names.
    case pinMismatch(host: String)

    /// The host could not prove to be itself, or no encryption was agreed on.
    case tls(host: String, reason: String)

    /// More than this many redirects.
    case tooManyRedirects(limit: Int)

    /// More is asked of the client at once than it takes.
    case overloaded(String)

    /// The caller's task was cancelled.
    case cancelled

    /// The client was shut down.
    case shutDown

    /// Which limit on time it was.
    public enum Stage: Sendable, Equatable { case connect, firstByte, stall, total }

    /// What was too large.
    public enum Part: Sendable, Equatable { case header, declaredBody, body, inflatedBody }

    /// What had come when the response ended too early, to be resumed with `Range`: its status and headers, and the
    /// bytes of its body so far.
    public var partial: UpstreamResponse? {
        switch self {
        case .timedOut(_, _, let partial), .interrupted(let partial, _): partial
        default: nil
        }
    }
}
