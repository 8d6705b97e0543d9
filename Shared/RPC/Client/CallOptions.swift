import NIOCore

/// The options of a call.
public struct CallOptions: Sendable {
    /// When the call times out at the latest.
    public var deadline = NIODeadline.distantFuture

    /// How long after its beginning the call times out; nil if only `deadline` limits it.
    public var timeout: TimeAmount?

    /// The trace that the call belongs to.
    public var trace: TraceContext

    /// How urgent the call is for a waiting user.
    public var priority: CallPriority

    /// The flow control window of a stream: how many items the caller can buffer, 1…1,024.
    public var window: Int

    /// How many gateways have forwarded the call, including this process.
    private(set) var hops = 0

    /// Whether the call may be sent again after the connection was lost during it, so that the peer may handle it
    /// twice. Nil: only if its method is idempotent.
    public var isRepeatable: Bool?

    /// Whether the answer may have attachments. Nil: only if the method's answer contains bytes.
    var takesAttachments: Bool?

    /// - Parameter timeout: from the beginning of the call.
    public init(
        timeout: TimeAmount = Limits.defaultTimeout, trace: TraceContext = TraceContext(),
        priority: CallPriority = .visible
    ) {
        self.timeout = timeout
        self.trace = trace
        self.priority = priority
        window = Limits.defaultStreamWindow
    }

    /// Makes options for a call that serves another call: they take over that call's deadline, trace and whether its
    /// caller takes attachments. The process counts as one more gateway: a call that too many have forwarded fails.
    public init(onBehalfOf context: CallContext) {
        deadline = context.deadline
        trace = context.trace
        priority = context.priority
        window = context.window
        hops = context.hops + 1
        takesAttachments = context.takesAttachments
    }

    /// Makes options for a call that times out at `deadline`, for several calls that share it.
    public init(until deadline: NIODeadline, trace: TraceContext = TraceContext()) {
        self.init(trace: trace)
        self.deadline = deadline
        timeout = nil
    }

    /// Makes options for a stream that runs until its caller ends it.
    public static func endless(trace: TraceContext = TraceContext()) -> CallOptions {
        CallOptions(until: .distantFuture, trace: trace)
    }

    /// Fills in the method's defaults for options that are nil.
    func resolved(isRepeatable: Bool, takesAttachments: Bool) -> CallOptions {
        var options = self
        options.isRepeatable = options.isRepeatable ?? isRepeatable
        options.takesAttachments = takesAttachments
        return options
    }

    /// When a call that begins now times out; `distantFuture` for an endless stream.
    public func deadline(now: NIODeadline) -> NIODeadline {
        timeout.map { min(now + $0, deadline) } ?? deadline
    }

    /// The `meta` member of a request that is sent now.
    func meta(now: NIODeadline, until deadline: NIODeadline, isStream: Bool) -> RequestMeta {
        let left = Int((deadline - now).nanoseconds / 1_000_000)
        return RequestMeta(
            timeout: deadline == .distantFuture ? nil : min(max(left, 1), Limits.timeoutMilliseconds.upperBound),
            trace: trace, attachments: takesAttachments == true ? true : nil, stream: isStream ? true : nil,
            window: isStream && window != Limits.defaultStreamWindow ? window : nil,
            priority: priority == .visible ? nil : priority, hops: hops == 0 ? nil : hops)
    }
}
