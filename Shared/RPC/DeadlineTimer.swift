import NIOCore

/// One timer for any number of deadlines: it is set for the earliest, and who owns it looks at all of them when it fires,
/// so that an ordinary call sets and cancels none. Lives on the event loop.
final class DeadlineTimer {
    private let loop: any EventLoop
    private var scheduled: (timer: Scheduled<Void>, deadline: NIODeadline)?

    /// Deals with every deadline that has passed, and says which is the next; `distantFuture` for none.
    var whenDue: (_ now: NIODeadline) -> NIODeadline = { _ in .distantFuture }

    init(on loop: any EventLoop) { self.loop = loop }

    /// Makes sure that `whenDue` is called at `deadline`.
    func wake(by deadline: NIODeadline) {
        guard deadline != .distantFuture else { return }
        if let scheduled {
            guard deadline < scheduled.deadline else { return }
            scheduled.timer.cancel()
        }
        let timer = loop.assumeIsolated().scheduleTask(deadline: deadline) { self.fire() }
        scheduled = (timer, deadline)
    }

    /// Nothing is waited for any more.
    func cancel() {
        scheduled?.timer.cancel()
        scheduled = nil
    }

    private func fire() {
        scheduled = nil
        let now = loop.now
        let next = whenDue(now)
        // Those that are close together are looked at together.
        if next != .distantFuture { wake(by: max(next, now + Limits.timerStep)) }
    }
}
