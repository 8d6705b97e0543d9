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
        // A file that was unreadable at the start is moved away; that nothing is kept stays visible until the next time.
        var reopens = false
        while !Task.isCancelled {
            do {
                _ = try await validate(reopening: reopens)
            } catch {
                if !Task.isCancelled { logger.error("the cache cannot be validated: \(error)") }
            }
            reopens = true
            // Cancelled while it waits: the loop's condition sees it.
            try? await Task.sleep(for: Self.period)
        }
    }

    /// - Parameter reopening: whether to begin a new file where there is none that can be used.
    /// - Returns: whether something was dropped.
    func validate(reopening: Bool = true) async throws -> Validation.Outcome {
        try await turns.take {
            if let failure = cache.slot.failure {
                let wasUnreadable =
                    failure.reason == .notADatabase && FileManager.default.fileExists(atPath: failure.path)
                if wasUnreadable { try setAside() }
                if reopening { try reopen() }
                return wasUnreadable ? .deleted : .kept
            }
            do {
                try await cache.checkIntegrity()
                return try await cache.dropExpired(at: now()) ? .deleted : .kept
            } catch let error where Self.isDamage(error) {
                try setAside()
                try reopen()
                return .deleted
            }
        }
    }

    private func setAside() throws {
        let name = try cache.slot.setAside(now: now())
        logger.error("the store could not be read: it is now \(name)")
    }

    private func reopen() throws {
        do throws(StoreUnusable) {
            try cache.slot.open()
        } catch {
            // As bad as before, of which health tells.
            return
        }
        cache.monitor.recover()
    }

    private static func isDamage(_ error: any Error) -> Bool {
        if case FeedStoreError.damaged = error { return true }
        return (error as? RPCError)?.kind == .dataLoss
    }
}
