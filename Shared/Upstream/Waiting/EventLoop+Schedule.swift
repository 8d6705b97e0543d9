import NIOCore

extension EventLoop {
    /// A timer, set and run on this event loop, which the caller must be on.
    func schedule(at deadline: NIODeadline, _ body: @escaping () -> Void) -> Scheduled<Void> {
        assumeIsolated().scheduleTask(deadline: deadline, body)
    }
}
