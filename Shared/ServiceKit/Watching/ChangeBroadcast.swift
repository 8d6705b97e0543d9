import RPC
import Timing

/// The watchers of a log of changes, which wait for the next one.
public final class ChangeBroadcast<Change: WatchedChange>: Sendable {
    private struct State: Sendable {
        /// The number of writes so far.
        var writes = 0

        /// The last event that was read, and the mark before it. Watchers that wait for it read it once for all.
        var latest: (mark: ChangeMark, news: ChangeNews<Change>)?

        var waiting: [Int: UnsafeContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let log: any ChangeLog<Change>
    private let state = Watched(State())

    /// Resumes waiting watchers, and lets other calls run between the changes that one has missed.
    private let executor: LoopExecutor

    public init(_ log: any ChangeLog<Change>, executor: LoopExecutor = .shared) {
        self.log = log
        self.executor = executor
    }

    /// The mark of a watcher that starts with the next change.
    public func mark() async throws -> ChangeMark { try await log.lastChange() }

    /// The number of watchers that wait for the next change.
    package var waiting: Int { state.withLock(\.waiting.count) }

    /// Returns once the number of watchers that wait for the next change fulfils the condition.
    package func wait(until isSo: @escaping @Sendable (_ watchers: Int) -> Bool) async {
        await state.wait { isSo($0.waiting.count) }
    }

    /// Makes the watchers look for changes after a write. The cost does not depend on the number of watchers: they are resumed
    /// after the writer has been answered.
    public func wake() {
        let waiting = state.withLock { state in
            state.writes += 1
            defer { state.waiting = [:] }
            return state.waiting
        }
        guard !waiting.isEmpty else { return }
        executor.afterAnswers { for continuation in waiting.values { continuation.resume() } }
    }

    /// Waits for the event after `mark`.
    /// - Throws: `CancellationError`, or the log's error.
    public func next(after mark: ChangeMark?) async throws -> ChangeNews<Change> {
        while true {
            try Task.checkCancellation()
            let writes = state.withLock(\.writes)
            if let news = try await news(after: mark) { return news }
            await waitForWrite(after: writes)
        }
    }

    private func news(after mark: ChangeMark?) async throws -> ChangeNews<Change>? {
        if let mark, let latest = state.withLock(\.latest), latest.mark == mark { return latest.news }
        guard let news = try await log.news(after: mark) else { return nil }
        if let mark, case .change = news.content {
            state.withLock { state in
                if let latest = state.latest, latest.mark.number >= mark.number { return }
                state.latest = (mark, news)
            }
        } else {
            // Another log may have begun, with lower numbers.
            state.withLock { $0.latest = nil }
        }
        // A watcher that is far behind does not wait for anything else.
        await executor.yield()
        return news
    }

    private func waitForWrite(after writes: Int) async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let waits = state.withLock { state in
                    // A write before this point would not resume the continuation.
                    guard !Task.isCancelled, state.writes == writes else { return false }
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
