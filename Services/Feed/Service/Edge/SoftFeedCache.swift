import Feed
import Foundation
import SQLiteKit

/// The current cache. Without a store every operation succeeds, and nothing is cached.
struct SoftFeedCache: FeedCache {
    let store: SoftStore<SQLiteFeedCache>

    func passed(_ ids: [UUID], at cursor: FeedCursor) async throws -> Set<UUID> {
        try await store.reading { try await $0.passed(ids, at: cursor) } ?? []
    }

    func keep(_ page: FetchedFeedPage) async throws -> FeedCacheChange? {
        try await store.writing { try await $0.keep(page) }
    }

    func page(_ limit: Int, at cursor: FeedCursor, now: Date) async throws -> CachedFeedPage? {
        try await store.reading { try $0.page(limit, at: cursor, now: now) }
    }

    func item(_ id: UUID) async throws -> CachedFeedItem? { try await store.reading { try $0.item(id) } }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int) async throws -> [FeedImage] {
        try await store.reading { try $0.items(withIDs: ids, limit: limit) } ?? []
    }

    func count() async throws -> Int { try await store.reading { try $0.count() } ?? 0 }

    func answer(_ limit: Int, at cursor: FeedCursor) async throws -> KnownAnswer? {
        try await store.reading { try $0.answer(limit, at: cursor) }
    }

    func dropExpired(at now: Date) async throws -> [UUID]? {
        try await store.writing { try await $0.dropExpired(at: now) }
    }

    func checkIntegrity() async throws { try await store.validating { try await $0.checkIntegrity() } }
}
