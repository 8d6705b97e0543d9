import NIOCore

/// A source of monotonic time: it tells the time, runs work at a later time, and lets tasks sleep. Deadlines, pauses, budgets and
/// times to live are measured with it. Dates are not: they come from the wall clock.
///
/// Programs use `.system`. Tests pass a clock that they advance, so that a test of a time limit takes no time and has one outcome.
public protocol MonotonicClock: Sendable {
    /// The time now. Any thread may read it.
    var now: NIODeadline { get }

    /// The time now on an event loop. The caller must be on it.
    func now(on loop: any EventLoop) -> NIODeadline

    /// Runs `body` on an event loop once `deadline` has passed. The caller must be on the loop.
    /// - Returns: the timer; cancelling it drops `body`.
    @discardableResult
    func schedule(at deadline: NIODeadline, on loop: any EventLoop, _ body: @escaping () -> Void) -> Scheduled<Void>

    /// Returns once `deadline` has passed.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(until deadline: NIODeadline) async throws
}

extension MonotonicClock {
    /// Runs `body` on an event loop after `time`. The caller must be on the loop.
    @discardableResult
    public func schedule(
        in time: TimeAmount, on loop: any EventLoop, _ body: @escaping () -> Void
    ) -> Scheduled<Void> {
        schedule(at: now(on: loop) + time, on: loop, body)
    }

    /// Returns after `time`.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for time: Duration) async throws { try await sleep(until: now + TimeAmount(time)) }

    /// The time left until `deadline`; negative once it has passed.
    public func timeLeft(until deadline: NIODeadline) -> Duration { .nanoseconds((deadline - now).nanoseconds) }
}

/// The machine's monotonic clock. On an event loop it is the loop's own time.
public struct SystemClock: MonotonicClock {
    public init() {}

    public var now: NIODeadline { .now() }

    public func now(on loop: any EventLoop) -> NIODeadline { loop.now }

    @discardableResult
    public func schedule(
        at deadline: NIODeadline, on loop: any EventLoop, _ body: @escaping () -> Void
    ) -> Scheduled<Void> {
        loop.assumeIsolated().scheduleTask(deadline: deadline, body)
    }

    public func sleep(until deadline: NIODeadline) async throws { try await Task.sleep(for: timeLeft(until: deadline)) }
}

extension MonotonicClock where Self == SystemClock {
    /// The machine's monotonic clock.
    public static var system: SystemClock { SystemClock() }
}
