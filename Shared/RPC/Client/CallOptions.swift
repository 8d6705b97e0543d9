import NIOCore

/// What a caller can say about a call beside its parameters.
public struct CallOptions: Sendable {
    /// When the caller stops waiting, wherever the call is then; `distantFuture` for a stream without end.
    public var deadline: NIODeadline

    /// The trace that the call belongs to.
    public var trace: TraceContext

    /// How much the call matters to a person who waits.
    public var priority: CallPriority

    /// How many items of a stream the caller can hold, 1…1,024.
    public var window: Int

    /// Whether the call may be sent again when the connection was lost under it, so that it may be handled twice. Nil: when
    /// its method is idempotent.
    public var isRepeatable: Bool?

    /// Whether bytes may stand beside the answer. Nil: when the method's answer has bytes in it.
    var takesAttachments: Bool?

    /// - Parameter timeout: from now.
    public init(
        timeout: TimeAmount = Limits.defaultTimeout, trace: TraceContext = TraceContext(),
        priority: CallPriority = .visible
    ) {
        deadline = .now() + timeout
        self.trace = trace
        self.priority = priority
        window = Limits.defaultStreamWindow
    }

    /// For a call that is made in order to answer another: what is left of its time, its trace, and what its caller can
    /// take.
    public init(onBehalfOf context: CallContext) {
        deadline = context.deadline
        trace = context.trace
        priority = context.priority
        window = context.window
        takesAttachments = context.takesAttachments
    }

    /// For a stream that goes on until its caller ends it.
    public static func endless(trace: TraceContext = TraceContext()) -> CallOptions {
        var options = CallOptions(trace: trace)
        options.deadline = .distantFuture
        return options
    }

    /// With what the method says, where the caller says nothing.
    func resolved(isRepeatable: Bool, takesAttachments: Bool) -> CallOptions {
        var options = self
        options.isRepeatable = options.isRepeatable ?? isRepeatable
        options.takesAttachments = takesAttachments
        return options
    }

    /// What the peer is told.
    func meta(now: NIODeadline, isStream: Bool) -> RequestMeta {
        let left = Int((deadline - now).nanoseconds / 1_000_000)
        return RequestMeta(
            timeout: deadline == .distantFuture ? nil : min(max(left, 1), Limits.timeoutMilliseconds.upperBound),
            trace: trace, attachments: takesAttachments == true ? true : nil, stream: isStream ? true : nil,
            window: isStream && window != Limits.defaultStreamWindow ? window : nil,
            priority: priority == .visible ? nil : priority)
    }
}
