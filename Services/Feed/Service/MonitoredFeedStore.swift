import Feed
import Foundation
import SQLiteKit

/// A store with a monitor, which reports the store's health and turns its failures into answers that name the remedy.
struct MonitoredFeedStore: FeedStore {
    let store: AuthorityStore<SQLiteFeedStore>

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice {
        try await store.reading { try $0.slice(limit, at: cursor) }
    }

    func item(_ id: UUID) async throws -> FeedImage? {
        try await store.reading { try $0.item(id) }
    }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int) async throws -> [FeedImage] {
        try await store.reading { try $0.items(withIDs: ids, limit: limit) }
    }

    func count() async throws -> Int { try await store.reading { try $0.count() } }

    func publish(_ items: [FeedImage], now: Date) async throws -> [FeedImage] {
        try await store.writing { try await $0.publish(items, now: now) }
    }

    func remove(_ ids: [UUID]) async throws -> [UUID] {
        try await store.writing { try await $0.remove(ids) }
    }

    func checkIntegrity() async throws {
        do {
            try await store.validating { try await $0.checkIntegrity() }
        } catch FeedStoreError.damaged(let finding) {
            store.monitor.noteDamage(finding)
            throw FeedStoreError.damaged(finding)
        }
    }
}
