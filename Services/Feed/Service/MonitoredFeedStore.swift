import Feed
import Foundation
import SQLiteKit

/// Puts a store under the eyes of a monitor: its failures become answers that say what to do, and its state health.
struct MonitoredFeedStore: FeedStore {
    let store: AuthorityStore<SQLiteFeedStore>

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice {
        try await store.reading { try $0.slice(limit, at: cursor) }
    }

    func item(_ id: UUID) async throws -> FeedImage? {
        try await store.reading { try $0.item(id) }
    }

    func publish(_ items: [FeedImage]) async throws -> [FeedImage] {
        try await store.writing { try await $0.publish(items) }
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
