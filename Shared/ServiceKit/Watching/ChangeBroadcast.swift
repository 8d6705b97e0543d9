import RPC
import Timing

/// The log of changes, and the watchers that wait for the next one.
public final class ChangeBroadcast<Change: WatchedChange>: Sendable {
    private struct State: Sendable {
        var log: ChangeLog<Change>
        var waiting: [Int: UnsafeContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let state: Watched<State>

    /// Resumes waiting watchers.
    private let executor: LoopExecutor

    /// - Parameter life: identifies this instance of the service.
    public init(life: String, executor: LoopExecutor = .shared) {
        state = Watched(State(log: ChangeLog(life: life)))
        self.executor = executor
    }

    /// The mark of a watcher that starts with the next change.
    public var mark: ChangeMark { state.withLock(\.log.mark) }

    /// The number of watchers that wait for the next change.
    package var waiting: Int { state.withLock(\.waiting.count) }

    /// Returns once the number of watchers that wait for the next change fulfils the condition.
    package func wait(until isSo: @escaping @Sendable (_ watchers: Int) -> Bool) async {
        await state.wait { isSo($0.waiting.count) }
    }

    /// Records a change. The cost does not depend on the number of watchers: they are resumed after the writer has been
    /// answered.
    public func record(_ change: Change) {
        let waiting = state.withLock { state in
            state.log.record(change)
            defer { state.waiting = [:] }
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        executor.afterAnswers { for continuation in waiting.values { continuation.resume() } }
    }

    /// The event after `mark`; nil when nothing has changed since.
    public func news(after mark: ChangeMark?) -> ChangeNews<Change>? { state.withLock { $0.log.news(after: mark) } }

    /// Waits for the event after `mark`.
    /// - Throws: `CancellationError`.
    public func next(after mark: ChangeMark?) async throws -> ChangeNews<Change> {
        while true {
            try Task.checkCancellation()
            if let news = news(after: mark) { return news }
            await waitForChange(after: mark)
        }
    }

    private func waitForChange(after mark: ChangeMark?) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waits = state.withLock { state in
                    // A change recorded before this point would not resume the continuation.
                    guard !Task.isCancelled, state.log.mark == mark else { return false }
                    state.waiting[waiter] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume()
        }
    }
}
