import Feed
import FeedContract
import Foundation
import Logging
import RPC
import ServiceKit
import SQLiteKit
import Timing

/// Maintains the cache: deletes expired entries, and replaces an unreadable file with a new cache.
struct CacheValidation {
    let cache: SQLiteFeedCache
    let logger: Logger

    /// Deletes the expired items.
    /// - Returns: whether there were any.
    let dropExpired: @Sendable () async throws -> Bool
    let clock: any MonotonicClock
    private let turns = TaskSemaphore(permits: 1)

    static let period = Duration.seconds(86_400)

    init(
        cache: SQLiteFeedCache, logger: Logger, clock: any MonotonicClock = .system,
        dropExpired: @escaping @Sendable () async throws -> Bool
    ) {
        self.cache = cache
        self.logger = logger
        self.dropExpired = dropExpired
        self.clock = clock
    }

    /// Validates at start and daily, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                _ = try await validate()
            } catch is StoreError {
                // The store has already reported it.
            } catch {
                if !Task.isCancelled { logger.error("the cache cannot be validated: \(error)") }
            }
            // `sleep` throws only on cancellation, and the loop condition handles that.
            try? await clock.sleep(for: Self.period)
        }
    }

    /// - Returns: whether entries were deleted.
    /// - Throws: `StoreError` when neither the store nor a new one in its place can be used.
    func validate() async throws -> Validation.Outcome {
        try await turns.withPermit {
            var hasExpired = false
            let wasDamaged = try await cache.store.mend {
                try await cache.checkIntegrity()
                hasExpired = try await dropExpired()
            }
            return wasDamaged || hasExpired ? .deleted : .kept
        }
    }
}
