import NIOCore

/// One timer for any number of deadlines. It is set for the earliest; when it fires, the owner checks all deadlines, so
/// that ordinary calls set and cancel no timer. Lives on the event loop.
final class DeadlineTimer {
    private let executor: LoopExecutor
    private var scheduled: (timer: Scheduled<Void>, deadline: NIODeadline)?

    /// Handles every deadline that has passed and returns the next one, or `distantFuture`.
    var whenDue: (_ now: NIODeadline) -> NIODeadline = { _ in .distantFuture }

    init(on executor: LoopExecutor) { self.executor = executor }

    /// Ensures that `whenDue` is called at `deadline`.
    func wake(by deadline: NIODeadline) {
        guard deadline != .distantFuture else { return }
        if let scheduled {
            guard deadline < scheduled.deadline else { return }
            scheduled.timer.cancel()
        }
        let timer = executor.schedule(at: deadline) { self.fire() }
        scheduled = (timer, deadline)
    }

    /// Cancels the timer.
    func cancel() {
        scheduled?.timer.cancel()
        scheduled = nil
    }

    private func fire() {
        scheduled = nil
        let now = executor.readClock()
        let next = whenDue(now)
        // One call handles deadlines that are close together.
        if next != .distantFuture { wake(by: max(next, now + Limits.timerStep)) }
    }
}
