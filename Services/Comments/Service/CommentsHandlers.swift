import Comments
import CommentsContract
import Foundation
import RPC
import ServiceKit

/// Implements the comments contract on an authority.
struct CommentsHandlers {
    let store: any CommentsStore
    let broadcast: ChangeBroadcast<CommentsChange>
    let now: @Sendable () -> Date
    let newID: @Sendable () -> UUID

    var table: MethodTable {
        var table = MethodTable(CommentsContract.contract)
        table.handle(CommentsContract.list) { params, _ in
            try await answering {
                let slice = try await store.slice(
                    params.limit ?? ListComments.defaultLimit, of: params.imageID, after: params.afterID)
                return ListedComments(CommentsPage(slice), origin: .store)
            }
        }
        table.handle(CommentsContract.lists) { params, _ in
            CommentLists(try await store.firstPages(ListComments.defaultLimit, of: params.imageIDs))
        }
        table.handle(CommentsContract.post) { params, _ in
            let draft = CommentDraft(params, defaultID: newID)
            defer { broadcast.wake() }
            return try await answering {
                Comment(try await store.post(draft, now: now()).comment)
            }
        }
        table.handle(CommentsContract.remove) { params, _ in
            defer { broadcast.wake() }
            return Count(count: try await store.remove(params.id))
        }
        table.handle(CommentsContract.counts) { params, _ in
            CommentCounts(counts: try await store.counts(of: params.imageIDs))
        }
        table.handle(CommentsContract.watch, watching: broadcast, since: \.since) { CommentsEvent($0) }
        return table
    }
}

extension CommentDraft {
    fileprivate init(_ params: PostComment, defaultID: () -> UUID) {
        self.init(
            id: params.id ?? defaultID(), imageID: params.imageID, message: params.message, username: params.username,
            createdAt: params.createdAt)
    }
}
