import Feed
import Foundation
import ServiceKit

/// Broadcasts every write that changed something. The next write begins after the broadcast, so the log has the order
/// of the store.
struct BroadcastingFeedStore: FeedStore {
    let store: any FeedStore
    let broadcast: ChangeBroadcast<FeedChange>
    private let turns = WriteTurns()

    init(store: any FeedStore, broadcast: ChangeBroadcast<FeedChange>) {
        self.store = store
        self.broadcast = broadcast
    }

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice {
        try await store.slice(limit, at: cursor)
    }

    func item(_ id: UUID) async throws -> FeedImage? { try await store.item(id) }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int) async throws -> [FeedImage] {
        try await store.items(withIDs: ids, limit: limit)
    }

    func count() async throws -> Int { try await store.count() }

    func publish(_ items: [FeedImage], now: Date) async throws -> [FeedImage] {
        try await turns.take {
            let new = try await store.publish(items, now: now)
            if !new.isEmpty { broadcast.record(.published(new)) }
            return new
        }
    }

    func remove(_ ids: [UUID]) async throws -> [UUID] {
        try await turns.take {
            let removed = try await store.remove(ids)
            if !removed.isEmpty { broadcast.record(.removed(removed)) }
            return removed
        }
    }

    func checkIntegrity() async throws { try await store.checkIntegrity() }
}
