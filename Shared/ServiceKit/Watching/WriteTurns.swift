import Synchronization

/// A mutual exclusion lock for tasks, first in, first out.
public final class WriteTurns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    public init() {}

    /// Runs `body` after all earlier calls have ended. A task that is cancelled while it waits still gets the lock;
    /// `body` must check for cancellation.
    public func take<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        await begin()
        defer { end() }
        return try await body()
    }

    private func begin(isolation: isolated (any Actor)? = #isolation) async {
        await withUnsafeContinuation { continuation in
            let isNext = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isNext { continuation.resume() }
        }
    }

    private func end() {
        let next = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.isTaken ? state.waiting.removeFirst() : nil
        }
        next?.resume()
    }
}
