import NIOCore
import Timing

/// A deadline, the clock that it is measured with, and the error when it has passed.
struct TimeLimit {
    let clock: any MonotonicClock
    let deadline: NIODeadline
    let stage: UpstreamError.Stage
    let duration: Duration

    init(_ stage: UpstreamError.Stage, _ duration: Duration, on clock: any MonotonicClock) {
        self.clock = clock
        deadline = clock.now + TimeAmount(duration)
        self.stage = stage
        self.duration = duration
    }

    /// The limit with the earlier deadline.
    func within(_ other: TimeLimit) -> TimeLimit { other.deadline < deadline ? other : self }

    func error(partial: UpstreamResponse? = nil) -> UpstreamError {
        .timedOut(stage, limit: duration, partial: partial)
    }
}
