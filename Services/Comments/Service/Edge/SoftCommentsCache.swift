import Comments
import EdgeModel
import Foundation
import SQLiteKit

/// The current cache. Without a store every operation succeeds, and nothing is cached.
struct SoftCommentsCache: CommentsCache {
    let store: SoftStore<SQLiteCommentsCache>

    func keep(_ answer: CachedComments) async throws -> CommentsCacheChange? {
        try await store.writing { try await $0.keep(answer) }
    }

    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) async throws -> Bool {
        try await store.writing { try await $0.renew(imageID, validators, savedAt: savedAt) ? true : nil } ?? false
    }

    func forget(_ imageID: UUID) async throws -> [UUID] {
        try await store.writing { try await $0.forget(imageID) } ?? []
    }

    func validators(of imageID: UUID) async throws -> AnswerValidators? {
        try await store.reading { try $0.validators(of: imageID) }
    }

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> CachedSlice? {
        try await store.reading { try $0.slice(limit, of: imageID, after: id) }
    }

    func firstPages(_ limit: Int, of imageIDs: [UUID]) async throws -> FirstPages {
        try await store.reading { try $0.firstPages(limit, of: imageIDs) } ?? FirstPages(of: imageIDs) { _ in nil }
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await store.reading { try $0.counts(of: imageIDs) } ?? [:]
    }
}
