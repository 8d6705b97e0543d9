import NIOCore

/// One call that a server has ended, for a log that shows every call.
public struct CallRecord: Sendable {
    public let method: String

    /// Nil for a call that went well.
    public let error: ErrorKind?

    /// From reading the request to its answer; nil for a call that was refused before it began.
    public let duration: TimeAmount?

    public let trace: TraceContext

    /// The caller's own name for itself, from `rpc.hello`; nil when it has given none.
    public let client: String?

    /// The calling process, nil when the system does not tell.
    public let peer: PeerCredentials?
}
