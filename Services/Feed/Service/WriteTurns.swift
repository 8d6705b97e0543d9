import Synchronization

/// Lets one task at a time through, in the order in which they come.
final class WriteTurns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Runs `body` when all that came before have ended. One that is cancelled while it waits still has its turn, in
    /// which it is up to `body` to notice.
    func take<Result>(
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
