import NIOCore

/// A deadline, and the error when it has passed.
struct TimeLimit {
    let deadline: NIODeadline
    let stage: UpstreamError.Stage
    let duration: Duration

    init(_ stage: UpstreamError.Stage, _ duration: Duration) {
        deadline = .now() + TimeAmount(duration)
        self.stage = stage
        self.duration = duration
    }

    /// The limit with the earlier deadline.
    func within(_ other: TimeLimit) -> TimeLimit { other.deadline < deadline ? other : self }

    func error(partial: UpstreamResponse? = nil) -> UpstreamError {
        .timedOut(stage, limit: duration, partial: partial)
    }
}

extension Waiting {
    /// Waits until the limit.
    /// - Parameter whenLeft: stops the work when the task is cancelled or times out.
    func value(
        within limit: TimeLimit, on loop: any EventLoop, whenLeft: @escaping () -> Void
    ) async throws(UpstreamError) -> Value {
        try await value(
            until: limit.deadline, on: loop, error: { $0 == .cancelled ? .cancelled : limit.error() },
            whenLeft: whenLeft)
    }
}
