import Comments
import CommentsContract
import EdgeKit
import RPC
import ServiceKit

/// Implements the comments contract on an edge. Comments are posted and removed at the upstream.
struct EdgeHandlers {
    let comments: EdgeComments
    let broadcast: ChangeBroadcast<CommentsChange>

    var table: MethodTable {
        var table = MethodTable(CommentsContract.contract)
        table.handle(CommentsContract.list) { params, context in
            try await answering {
                try await comments.list(params, within: context.timeLeft)
            }
        }
        table.handle(CommentsContract.lists) { params, _ in
            CommentLists(try await comments.lists(of: params.imageIDs))
        }
        table.handle(CommentsContract.counts) { params, _ in
            CommentCounts(counts: try await comments.counts(of: params.imageIDs))
        }
        table.handle(CommentsContract.post) { _, _ in throw Self.readOnly }
        table.handle(CommentsContract.remove) { _, _ in throw Self.readOnly }
        table.handle(CommentsContract.watch, watching: broadcast, since: \.since) { CommentsEvent($0) }
        return table
    }

    private static let readOnly = RPCError(
        .readOnly, "these comments belong to another server (--upstream); post and remove them there")
}
