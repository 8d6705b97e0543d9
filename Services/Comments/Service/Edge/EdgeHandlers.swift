import Comments
import CommentsContract
import NIOCore
import RPC

/// Contract in, edge out. Comments are written where they come from.
struct EdgeHandlers {
    let comments: EdgeComments

    var table: MethodTable {
        var table = MethodTable(CommentsContract.contract)
        table.handle(CommentsContract.list) { params, context in
            try await answering {
                try await comments.list(params, within: context.remaining)
            }
        }
        table.handle(CommentsContract.counts) { params, _ in
            CommentCounts(counts: try await comments.counts(of: params.imageIDs))
        }
        table.handle(CommentsContract.post) { _, _ in throw Self.readOnly }
        table.handle(CommentsContract.remove) { _, _ in throw Self.readOnly }
        return table
    }

    private static let readOnly = RPCError(
        .readOnly, "these comments are another server's (--upstream): they are written there")
}

extension CallContext {
    /// What the caller has left.
    fileprivate var remaining: Duration { .nanoseconds((deadline - NIODeadline.now()).nanoseconds) }
}
