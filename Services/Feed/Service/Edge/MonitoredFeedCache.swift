import Feed
import Foundation
import SQLiteKit

/// The cache that there is just now, under the eyes of a monitor. Without one everything works, and nothing is kept.
struct MonitoredFeedCache: FeedCache {
    let slot: StoreSlot<SQLiteFeedCache>
    let monitor: StoreMonitor

    func passed(_ ids: [UUID], at cursor: FeedCursor) async throws -> Set<UUID> {
        try await reading { try $0.passed(ids, at: cursor) } ?? []
    }

    func keep(_ page: FetchedFeedPage) async throws -> KeptFeedPage? {
        guard let cache = slot.store else { return nil }
        return try await monitor.writing { try await cache.keep(page) }
    }

    func page(_ limit: Int, at cursor: FeedCursor, now: Date) async throws -> CachedFeedPage? {
        try await reading { try $0.page(limit, at: cursor, now: now) }
    }

    func item(_ id: UUID) async throws -> FeedImage? { try await reading { try $0.item(id) } }

    func answer(_ limit: Int, at cursor: FeedCursor) async throws -> KnownAnswer? {
        try await reading { try $0.answer(limit, at: cursor) }
    }

    func dropExpired(at now: Date) async throws -> Bool {
        guard let cache = slot.store else { return false }
        return try await monitor.writing { try await cache.dropExpired(at: now) }
    }

    func checkIntegrity() async throws {
        guard let cache = slot.store else { return }
        try await monitor.reading { try await cache.checkIntegrity() }
    }

    private func reading<Result>(_ body: (SQLiteFeedCache) throws -> Result?) async throws -> Result? {
        guard let cache = slot.store else { return nil }
        return try await monitor.reading { try body(cache) }
    }
}
