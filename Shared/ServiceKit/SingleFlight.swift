import Synchronization

/// Does what several want at the same time once for all of them.
///
/// The first to come does it, in its own task. When that one is cancelled, the next who still waits does it anew: one
/// caller's cancelling is not felt by the others.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, any Error>

    /// Those who wait for what is under way.
    private let waiting = Mutex<[Key: [AsyncStream<Outcome>.Continuation]]>([:])

    public init() {}

    /// - Parameters:
    ///   - key: what is wanted; who wants the same while it is under way gets what comes of it.
    ///   - work: brings it.
    /// - Throws: what `work` throws, to all who wait for it; `CancellationError` to a caller that is cancelled.
    public func value(of key: Key, _ work: () async throws -> Value) async throws -> Value {
        while true {
            guard let landing = follow(key) else { return try await lead(key, work) }
            for await outcome in landing { return try outcome.get() }
            // It ended without an outcome: either we were cancelled, or the one who led.
            try Task.checkCancellation()
        }
    }

    /// How many wait for what another brings.
    package func followers(of key: Key) -> Int { waiting.withLock { $0[key]?.count ?? 0 } }

    /// - Returns: what brings the outcome; nil for the first, who has to see to it.
    private func follow(_ key: Key) -> AsyncStream<Outcome>? {
        waiting.withLock { waiting in
            guard waiting[key] != nil else {
                waiting[key] = []
                return nil
            }
            let (landing, continuation) = AsyncStream.makeStream(of: Outcome.self)
            waiting[key]?.append(continuation)
            return landing
        }
    }

    private func lead(_ key: Key, _ work: () async throws -> Value) async throws -> Value {
        let outcome: Outcome
        do {
            outcome = .success(try await work())
        } catch {
            outcome = .failure(error)
        }
        let followers = waiting.withLock { $0.removeValue(forKey: key) } ?? []
        for follower in followers {
            if !Task.isCancelled { follower.yield(outcome) }
            follower.finish()
        }
        return try outcome.get()
    }
}
