import Timing

/// A counting semaphore for tasks. Waiting tasks get their permits in the order in which they began to wait.
public final class TaskSemaphore: Sendable {
    /// Too many tasks wait already.
    public struct Full: Error {}

    /// The numbers of permits in use and of waiting tasks.
    public struct Load: Equatable, Sendable {
        public let running: Int
        public let waiting: Int

        public init(running: Int, waiting: Int) { (self.running, self.waiting) = (running, waiting) }

        public static let none = Load(running: 0, waiting: 0)
    }

    private struct State {
        var running = 0
        var waiting: [(number: Int, continuation: UnsafeContinuation<Void, any Error>)] = []
        var lastNumber = 0

        var load: Load { Load(running: running, waiting: waiting.count) }
    }

    public let permits: Int
    private let waitingLimit: Int
    private let state = Watched(State())

    /// - Parameters:
    ///   - permits: the maximum number of tasks that hold a permit.
    ///   - waitingLimit: the maximum number of waiting tasks.
    public init(permits: Int, waitingLimit: Int = .max) {
        self.permits = permits
        self.waitingLimit = waitingLimit
    }

    public var load: Load { state.withLock(\.load) }

    /// Returns once the load fulfils the condition, or the task is cancelled.
    public func wait(until isSo: @escaping @Sendable (Load) -> Bool) async { await state.wait { isSo($0.load) } }

    /// Waits for a permit, and holds it until `body` ends.
    /// - Throws: `Full`; `CancellationError` when the task is cancelled before it has a permit; or the error of `body`.
    public func withPermit<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { begin(number, $0) }
        } onCancel: {
            let left = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            left?.continuation.resume(throwing: CancellationError())
        }
        defer { end() }
        return try await body()
    }

    private func begin(_ number: Int, _ continuation: UnsafeContinuation<Void, any Error>) {
        let outcome: Result<Void, any Error>? = state.withLock { state in
            guard !Task.isCancelled else { return .failure(CancellationError()) }
            guard state.running == permits else {
                state.running += 1
                return .success(())
            }
            guard state.waiting.count < waitingLimit else { return .failure(Full()) }
            state.waiting.append((number, continuation))
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    /// Passes the permit to the next task.
    private func end() {
        let next = state.withLock { state in
            if state.waiting.isEmpty { state.running -= 1 }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.continuation.resume()
    }
}
