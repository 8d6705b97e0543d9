import NIOCore

extension EventLoop {
    /// Schedules a timer on this event loop. The caller must be on it.
    func schedule(at deadline: NIODeadline, _ body: @escaping () -> Void) -> Scheduled<Void> {
        assumeIsolated().scheduleTask(deadline: deadline, body)
    }
}
