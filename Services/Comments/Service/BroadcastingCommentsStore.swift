import Comments
import Foundation
import ServiceKit

/// Broadcasts every write that changed something. The next write begins after the broadcast, so the log has the order of the
/// store.
struct BroadcastingCommentsStore: CommentsStore {
    let store: any CommentsStore
    let broadcast: ChangeBroadcast<CommentsChange>
    private let turns = WriteTurns()

    init(store: any CommentsStore, broadcast: ChangeBroadcast<CommentsChange>) {
        self.store = store
        self.broadcast = broadcast
    }

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CommentsSlice {
        try await store.slice(limit, of: imageID, after: id)
    }

    func firstPages(_ limit: Int, of imageIDs: [UUID]) async throws -> FirstPages {
        try await store.firstPages(limit, of: imageIDs)
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] { try await store.counts(of: imageIDs) }

    func post(_ draft: CommentDraft, now: Date) async throws -> PostedComment {
        try await turns.take {
            let posted = try await store.post(draft, now: now)
            if posted.isNew { broadcast.record(.posted([posted.comment])) }
            return posted
        }
    }

    func remove(_ id: UUID) async throws -> Int {
        try await turns.take {
            let count = try await store.remove(id)
            if count > 0 { broadcast.record(.removed([id])) }
            return count
        }
    }
}
