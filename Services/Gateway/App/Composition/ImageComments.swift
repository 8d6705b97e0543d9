import CommentsContract
import Foundation
import JSON
import RPC

/// The comments of images. Only the feed knows which images exist.
struct ImageComments: Sendable {
    let registry: PluginRegistry
    let feed: Feed
    let recent: RecentComments

    /// Calls after which an image may have other comments.
    static let changes: Set = [CommentsContract.post.name, CommentsContract.remove.name]

    /// A page of comments, and the error when the feed cannot be asked whether the image exists.
    ///
    /// This check is necessary only for an empty list of an authority's comments service, which does not know the images. An
    /// upstream does.
    /// - Throws: `not_found` when the feed has no such image.
    func page(
        _ list: ListComments, _ options: CallOptions
    ) async throws(RPCError) -> (comments: ListedComments, problem: RPCError?) {
        let listed = try await registry.plugin("comments").call(CommentsContract.list, list, options)
        guard listed.items.isEmpty, list.afterID == nil, listed.origin == .store else { return (listed, nil) }
        return (listed, try await feed.problem(proving: list.imageID, options))
    }

    /// Stores a comment. The comment gets an id, so that the call can be repeated if the connection to the comments
    /// service is lost.
    /// - Throws: `not_found` when the feed has no such image.
    func post(_ comment: PostComment, _ options: CallOptions) async throws(RPCError) -> Comment {
        do throws(RPCError) {
            _ = try await feed.item(comment.imageID, options)
        } catch {
            // The feed of an edge knows only some of the items. There the comments service refuses every comment.
            guard error.kind == .notFound, try await areForeign(comment.imageID, options) else { throw error }
        }
        defer { forget() }
        let comment = PostComment(
            imageID: comment.imageID, message: comment.message, username: comment.username,
            id: comment.id ?? UUID.random(), createdAt: comment.createdAt)
        var options = options
        options.isRepeatable = true
        return try await registry.plugin("comments").call(CommentsContract.post, comment, options)
    }

    /// Clears the cached comments, and the cached pages, which have the numbers of comments, after a change.
    func forget() {
        recent.forget()
        feed.recent.forget()
    }

    /// Whether the comments are an upstream's: only an authority lists its own store, and only an edge's list fails because of
    /// the upstream.
    private func areForeign(_ imageID: UUID, _ options: CallOptions) async throws(RPCError) -> Bool {
        do throws(RPCError) {
            let list = ListComments(imageID: imageID, limit: 1)
            return try await registry.plugin("comments").call(CommentsContract.list, list, options).origin != .store
        } catch {
            guard [.notFound, .connectivity].contains(error.kind) else { throw error }
            return true
        }
    }
}
