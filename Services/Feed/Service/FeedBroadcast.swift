import Feed
import RPC
import Synchronization

/// The log of changes, and those who wait for the next one.
final class FeedBroadcast: Sendable {
    private struct State {
        var log: FeedLog
        var waiting: [Int: UnsafeContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let state: Mutex<State>

    /// Where those who wait are answered.
    private let executor: LoopExecutor

    /// - Parameter life: which life of the service this is.
    init(life: String, executor: LoopExecutor = .shared) {
        state = Mutex(State(log: FeedLog(life: life)))
        self.executor = executor
    }

    /// Where those begin who want to hear only what happens from now on.
    var mark: FeedMark { state.withLock(\.log.mark) }

    /// How many wait for the next change.
    var waiting: Int { state.withLock(\.waiting.count) }

    /// Costs the same however many wait: they are woken when whoever has written has been answered.
    func record(_ change: FeedChange) {
        let waiting = state.withLock { state in
            state.log.record(change)
            defer { state.waiting = [:] }
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        executor.afterAnswers { for continuation in waiting.values { continuation.resume() } }
    }

    /// What follows `mark` already; nil when nothing has happened since.
    func news(after mark: FeedMark?) -> FeedNews? { state.withLock { $0.log.news(after: mark) } }

    /// What follows `mark`, as soon as there is something.
    /// - Throws: `CancellationError`.
    func next(after mark: FeedMark?) async throws -> FeedNews {
        while true {
            try Task.checkCancellation()
            if let news = news(after: mark) { return news }
            await waitForChange(after: mark)
        }
    }

    private func waitForChange(after mark: FeedMark?) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waits = state.withLock { state in
                    // What came before this moment would wake nobody any more.
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
