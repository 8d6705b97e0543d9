import Comments
import Foundation
import SQLiteKit

/// Puts a store under the eyes of a monitor: its failures become answers that say what to do, and its state health.
struct MonitoredCommentsStore: CommentsStore {
    let store: any CommentsStore
    let monitor: StoreMonitor

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CommentsSlice {
        try await monitor.reading { try await store.slice(limit, of: imageID, after: id) }
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await monitor.reading { try await store.counts(of: imageIDs) }
    }

    func post(_ draft: CommentDraft, now: Date) async throws -> ImageComment {
        try await monitor.writing { try await store.post(draft, now: now) }
    }

    func remove(_ id: UUID) async throws -> Int {
        try await monitor.writing { try await store.remove(id) }
    }
}
