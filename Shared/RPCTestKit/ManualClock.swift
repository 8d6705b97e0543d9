import NIOCore
import RPC
import Timing

/// A monotonic clock that only the test moves. Work that is scheduled with it runs, and tasks that sleep by it wake, when `advance`
/// passes their deadlines.
public final class ManualClock: MonotonicClock {
    private enum Work {
        case timer(body: NIOLoopBound<() -> Void>, end: EventLoopPromise<Void>)
        case sleeper(UnsafeContinuation<Bool, Never>)
    }

    private struct State {
        var now: NIODeadline
        var lastNumber = 0
        var pending: [Int: (deadline: NIODeadline, work: Work)] = [:]

        mutating func add(_ deadline: NIODeadline, _ work: Work) -> Int {
            lastNumber += 1
            pending[lastNumber] = (deadline, work)
            return lastNumber
        }

        func count(dueBy end: NIODeadline) -> Int { pending.values.count { $0.deadline <= end } }

        /// When the first of the sleeping tasks wakes.
        var nextWake: NIODeadline? {
            pending.values.lazy.filter { if case .sleeper = $0.work { true } else { false } }.map(\.deadline).min()
        }

        /// Moves the time to the next deadline up to `end`.
        mutating func takeNext(by end: NIODeadline) -> Work? {
            let due = pending.filter { $0.value.deadline <= end }
            guard let next = due.min(by: { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }) else {
                now = max(now, end)
                return nil
            }
            now = max(now, next.value.deadline)
            pending[next.key] = nil
            return next.value.work
        }
    }

    private let state: Watched<State>

    /// The time at the start is far enough from zero that earlier times can be expressed.
    public init(now: NIODeadline = .uptimeNanoseconds(1_000_000_000_000)) { state = Watched(State(now: now)) }

    deinit {
        for case .timer(_, let promise) in state.withLock({ $0.pending.values.map(\.work) }) {
            promise.fail(EventLoopError.cancelled)
        }
    }

    public var now: NIODeadline { state.withLock { $0.now } }

    public func now(on loop: any EventLoop) -> NIODeadline { now }

    // MARK: Moving

    /// Moves the time on. Runs all timers whose deadlines pass, in the order of their deadlines and each at its deadline, and returns
    /// once they have run. Tasks whose sleep is over are resumed, but may still have to run.
    public func advance(by time: TimeAmount) async {
        let end = now + time
        while let work = state.withLock({ $0.takeNext(by: end) }) {
            switch work {
            case .timer(let body, let promise):
                let loop = promise.futureResult.eventLoop
                await withUnsafeContinuation { continuation in
                    loop.execute {
                        body.value()
                        promise.succeed()
                        continuation.resume()
                    }
                }
            case .sleeper(let continuation): continuation.resume(returning: true)
            }
        }
    }

    /// Moves the time on at once, as if the process had been suspended for this long. What is due runs late: timers as soon as
    /// their loops run tasks, before these poll their sockets.
    ///
    /// A synchronous handler calls this to take this long.
    public func jump(by time: TimeAmount) {
        let due = state.withLock { state in
            state.now = state.now + time
            var due: [Work] = []
            while let work = state.takeNext(by: state.now) { due.append(work) }
            return due
        }
        for work in due {
            switch work {
            case .timer(let body, let promise):
                promise.futureResult.eventLoop.execute {
                    body.value()
                    promise.succeed()
                }
            case .sleeper(let continuation): continuation.resume(returning: true)
            }
        }
    }

    /// Waits until `count` timers and sleeps end within `time`, then moves the time on by it.
    public func advance(by time: TimeAmount, once count: Int) async {
        await waitForTimers(count, within: time)
        await advance(by: time)
    }

    /// Waits until `count` timers and sleeps end within `time` from now.
    public func waitForTimers(_ count: Int = 1, within time: TimeAmount) async {
        await state.wait { $0.count(dueBy: $0.now + time) >= count }
    }

    /// Waits until `count` timers and sleeps end exactly `time` from now. Others, such as those of connections, do not count.
    public func waitForTimer(in time: TimeAmount, count: Int = 1) async {
        await state.wait { state in state.pending.values.count { $0.deadline == state.now + time } >= count }
    }

    /// Lets time pass while `body` waits for what follows from it: moves on by `step` as soon as a timer or a sleep ends within it.
    public func passing<Result>(
        inStepsOf step: TimeAmount, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { while !Task.isCancelled { await self.advance(by: step, once: 1) } }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// Waits until a task sleeps.
    /// - Returns: the time until the first of the sleeping tasks wakes.
    public func timeToNextWake() async -> TimeAmount {
        await state.wait { $0.nextWake != nil }
        return state.withLock { state in state.nextWake.map { $0 - state.now } ?? .zero }
    }

    // MARK: Timers and sleeps

    @discardableResult
    public func schedule(
        at deadline: NIODeadline, on loop: any EventLoop, _ body: @escaping () -> Void
    ) -> Scheduled<Void> {
        let promise = loop.makePromise(of: Void.self)
        let work = Work.timer(body: NIOLoopBound(body, eventLoop: loop), end: promise)
        let number = state.withLock { $0.add(deadline, work) }
        return Scheduled(promise: promise) { _ = self.remove(number) }
    }

    public func sleep(until deadline: NIODeadline) async throws {
        let sleeper = Watched<Int?>(nil)
        let isOver = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let number = state.withLock { state in
                    deadline <= state.now ? nil : state.add(deadline, .sleeper(continuation))
                }
                guard let number else { return continuation.resume(returning: true) }
                sleeper.withLock { $0 = number }
                // A cancellation before the last line has found no number.
                if Task.isCancelled { wake(number) }
            }
        } onCancel: {
            if let number = sleeper.withLock({ $0 }) { wake(number) }
        }
        if !isOver { throw CancellationError() }
        try Task.checkCancellation()
    }

    /// Ends the sleep of a cancelled task.
    private func wake(_ number: Int) {
        if case .sleeper(let continuation) = remove(number) { continuation.resume(returning: false) }
    }

    private func remove(_ number: Int) -> Work? { state.withLock { $0.pending.removeValue(forKey: number)?.work } }
}

extension LoopExecutor {
    /// An executor on the event loop of `shared` for which time stands still: on a busy machine no limit of time ends what a test
    /// does.
    public static let still = LoopExecutor.timed(by: ManualClock())

    /// An executor on the event loop of `shared` whose time is that of `clock`.
    public static func timed(by clock: any MonotonicClock) -> LoopExecutor { LoopExecutor(shared.loop, clock: clock) }
}
