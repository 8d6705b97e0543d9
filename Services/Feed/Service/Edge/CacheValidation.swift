import Feed
import FeedContract
import Foundation
import Logging
import RPC
import SQLiteKit

/// Looks after the cache: drops what has expired, and begins a new one in place of a file that cannot be read.
struct CacheValidation {
    let cache: MonitoredFeedCache
    let logger: Logger
    let now: @Sendable () -> Date
    private let turns = WriteTurns()

    private static let period = Duration.seconds(86_400)

    init(cache: MonitoredFeedCache, logger: Logger, now: @escaping @Sendable () -> Date) {
        self.cache = cache
        self.logger = logger
        self.now = now
    }

    /// At start and daily, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                _ = try await validate()
            } catch is RPCError {
                // The store's monitor has reported it.
            } catch {
                if !Task.isCancelled { logger.error("the cache cannot be validated: \(error)") }
            }
            // Cancelled while it waits: the loop's condition sees it.
            try? await Task.sleep(for: Self.period)
        }
    }

    /// - Returns: whether something was dropped.
    /// - Throws: `RPCError` for a store that cannot be used, nor another one in its place.
    func validate() async throws -> Validation.Outcome {
        try await turns.take {
            let store = cache.store
            if let failure = store.slot.failure {
                await store.restore(isDamaged: false)
                switch store.slot.failure?.reason {
                case nil: return failure.reason == .notADatabase ? .deleted : .kept
                // What is not a cache of this program stays as it is.
                case .foreign, .newer, .directory: return .kept
                default: throw StoreTrouble.absent.answer
                }
            }
            do {
                try await cache.checkIntegrity()
                return try await cache.dropExpired(at: now()) ? .deleted : .kept
            } catch let error where Self.isDamage(error) {
                await store.restore(isDamaged: true)
                guard store.slot.store != nil else { throw StoreTrouble.absent.answer }
                return .deleted
            }
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        if case FeedStoreError.damaged = error { return true }
        return (error as? RPCError)?.isStoreLost == true
    }
}
