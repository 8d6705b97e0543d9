import Comments
import Foundation
import RPC
import SQLiteKit

/// The store does not work; its monitor has said so.
struct StoreFailure: Error {
    let answer: RPCError
}

/// Puts a store under the eyes of a monitor, and tells its failures from all others: none of them is the end of a call.
struct WatchedKeptComments: KeptCommentsStore {
    let store: any KeptCommentsStore
    let monitor: StoreMonitor

    func keep(_ answer: KeptComments) async throws -> Bool {
        try await writing { try await store.keep(answer) }
    }

    func renew(_ imageID: UUID, _ validators: AnswerValidators, savedAt: Date) async throws -> Bool {
        try await writing { try await store.renew(imageID, validators, savedAt: savedAt) }
    }

    func validators(of imageID: UUID) async throws -> AnswerValidators? {
        try await watching { try await monitor.reading { try await store.validators(of: imageID) } }
    }

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) async throws -> KeptSlice? {
        try await watching { try await monitor.reading { try await store.slice(limit, of: imageID, after: id) } }
    }

    func counts(of imageIDs: [UUID]) async throws -> [UUID: Int] {
        try await watching { try await monitor.reading { try await store.counts(of: imageIDs) } }
    }

    /// What has written nothing, though nothing went wrong, says nothing about whether writing works.
    private func writing(_ body: () async throws -> Bool) async throws -> Bool {
        try await watching {
            let isDone = try await monitor.reading(body)
            return isDone ? try await monitor.writing { true } : false
        }
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
