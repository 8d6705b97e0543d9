import Comments
import Foundation
import SQLiteKit

/// A store with a monitor, which reports the store's health and turns its failures into answers that name the remedy.
struct MonitoredCommentsStore: CommentsStore {
    let store: AuthorityStore<SQLiteCommentsStore>

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CommentsSlice {
        try await store.reading { try $0.slice(limit, of: imageID, after: id) }
    }

    func firstPages(_ limit: Int, of imageIDs: [UUID]) async throws -> FirstPages {
        try await store.reading { try $0.firstPages(limit, of: imageIDs) }
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await store.reading { try $0.counts(of: imageIDs) }
    }

    func post(_ draft: CommentDraft, now: Date) async throws -> PostedComment {
        try await store.writing { try await $0.post(draft, now: now) }
    }

    func remove(_ id: UUID) async throws -> Int {
        try await store.writing { try await $0.remove(id) }
    }
}
