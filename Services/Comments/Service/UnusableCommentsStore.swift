import Comments
import Foundation
import RPC
import SQLiteKit

/// Stands for a store that could not be opened, where the service was told to serve without. It does not say that there are
/// no comments, and takes none that it would lose.
struct UnusableCommentsStore: CommentsStore {
    let error: StoreUnusable

    func slice(_ limit: Int, of imageID: UUID, after id: UUID?) throws -> CommentsSlice { throw unavailable }

    func counts(of imageIDs: [UUID]) throws -> [UUID: Int] { throw unavailable }

    func post(_ draft: CommentDraft, now: Date) throws -> ImageComment { throw unavailable }

    func remove(_ id: UUID) throws -> Int { throw unavailable }

    private var unavailable: RPCError { RPCError(.unavailable, "\(error)") }
}
