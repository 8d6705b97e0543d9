import NIOCore

/// What a caller can say about a call beside its parameters.
public struct CallOptions: Sendable {
    /// When the caller stops waiting, wherever the call is then.
    public var deadline: NIODeadline

    /// The trace that the call belongs to.
    public var trace: TraceContext

    /// - Parameter timeout: from now.
    public init(timeout: TimeAmount = Limits().defaultTimeout, trace: TraceContext = TraceContext()) {
        deadline = .now() + timeout
        self.trace = trace
    }

    /// For a call that is made in order to answer another: what is left of its time, and its trace.
    public init(onBehalfOf context: CallContext) {
        deadline = context.deadline
        trace = context.trace
    }

    /// What the peer is told.
    func meta(now: NIODeadline) -> RequestMeta {
        let left = Int((deadline - now).nanoseconds / 1_000_000)
        return RequestMeta(timeout: min(max(left, 1), Limits.timeoutMilliseconds.upperBound), trace: trace)
    }
}
