import Feed
import Foundation
import SQLiteKit

/// Puts a store under the eyes of a monitor: its failures become answers that say what to do, and its state health.
struct MonitoredFeedStore: FeedStore {
    let store: any FeedStore
    let monitor: StoreMonitor

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice {
        try await monitor.reading { try await store.slice(limit, at: cursor) }
    }

    func item(_ id: UUID) async throws -> FeedImage? {
        try await monitor.reading { try await store.item(id) }
    }

    func publish(_ items: [FeedImage]) async throws -> [FeedImage] {
        try await monitor.writing { try await store.publish(items) }
    }

    func remove(_ ids: [UUID]) async throws -> [UUID] {
        try await monitor.writing { try await store.remove(ids) }
    }

    func checkIntegrity() async throws {
        try await monitor.reading { try await store.checkIntegrity() }
    }
}
