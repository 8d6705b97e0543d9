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
            } catch is RPCError {
                // The store's monitor has already reported it.
            } catch {
                if !Task.isCancelled { logger.error("the cache cannot be validated: \(error)") }
            }
            // `sleep` throws only on cancellation, and the loop condition handles that.
            try? await clock.sleep(for: Self.period)
        }
    }

    /// - Returns: whether entries were deleted.
    /// - Throws: `RPCError` when neither the store nor a new one in its place can be used.
    func validate() async throws -> Validation.Outcome {
        try await turns.withPermit {
            let store = cache.store
            if let failure = store.slot.failure {
                await store.restore(isDamaged: false)
                switch store.slot.failure?.reason {
                case nil: return failure.reason == .notADatabase ? .deleted : .kept
                // A file that is not a cache of this program is left unchanged.
                case .foreign, .newer, .directory: return .kept
                default: throw StoreTrouble.absent.answer
                }
            }
            do {
                try await cache.checkIntegrity()
                return try await dropExpired() ? .deleted : .kept
            } catch let error where Self.isDamage(error) {
                await store.restore(isDamaged: true)
                guard store.slot.isOpen else { throw StoreTrouble.absent.answer }
                return .deleted
            }
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        if case FeedStoreError.damaged = error { return true }
        return (error as? RPCError)?.isStoreLost == true
    }
}
