import Comments
import Foundation
import RPC
import SQLiteKit

/// A failure of the store, which its monitor has already reported.
struct StoreFailure: Error {
    let answer: RPCError
}

/// A cache with a monitor. Its failures are thrown as `StoreFailure`, so that callers can continue without the cache.
/// Without a store every operation succeeds, and nothing is cached.
struct WatchedKeptComments: KeptCommentsStore {
    let store: SoftStore<SQLiteKeptComments>

    func keep(_ answer: KeptComments) async throws -> Bool {
        try await watching { try await store.writing { try await $0.keep(answer) ? true : nil } } ?? false
    }

    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) async throws -> Bool {
        try await watching {
            try await store.writing { try await $0.renew(imageID, validators, savedAt: savedAt) ? true : nil }
        } ?? false
    }

    func validators(of imageID: UUID) async throws -> AnswerValidators? {
        try await watching { try await store.reading { try $0.validators(of: imageID) } }
    }

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> KeptSlice? {
        try await watching { try await store.reading { try $0.slice(limit, of: imageID, after: id) } }
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await watching { try await store.reading { try $0.counts(of: imageIDs) } } ?? [:]
    }

    private func watching<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as RPCError {
            throw StoreFailure(answer: error)
        }
    }
}
