import CommentsContract
import FeedContract
import Foundation
import HTTPTypes
import RPC

extension API {
    /// All comments of an image, oldest first.
    func comments(
        of id: UUID, _ request: HTTPRequest, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let list = try await allComments(of: id, options)
        // The comments service cannot know whether there is such an image.
        if list.items.isEmpty { try await mustExist(id, options) }
        let json = RawJSON(CommentsPayload(items: list.items), as: CommentsPayload.shape)
        var answer = HTTPAnswer.document(json, for: request)
        Freshness(list.origin, savedAt: list.savedAt, now: now()).apply(to: &answer.fields)
        return answer
    }

    /// The service's pages as one list, as old as the oldest of them.
    /// - Throws: `too_large` for more than we send.
    private func allComments(of id: UUID, _ options: CallOptions) async throws(RPCError) -> ListedComments {
        let service = try registry.plugin("comments")
        var items: [Comment] = []
        var (bytes, origin, savedAt) = (0, ListedComments.Origin.store, Date?.none)
        var cursor: UUID?
        repeat {
            let page = try await service.call(
                CommentsContract.list, ListComments(imageID: id, afterID: cursor), options)
            items += page.items
            bytes += page.size
            guard bytes <= limits.commentsBytes else {
                throw RPCError(.tooLarge, "the comments have more than \(limits.commentsBytes) bytes")
            }
            if cursor == nil || page.origin == .cache { origin = page.origin }
            savedAt = [savedAt, page.savedAt].compactMap(\.self).min()
            // An empty page is the end, whatever it says.
            cursor = page.items.isEmpty ? nil : page.nextAfterID
        } while cursor != nil
        return ListedComments(items: items, nextAfterID: nil, origin: origin, savedAt: savedAt)
    }

    /// - Throws: `not_found` when the feed knows no such image. A feed that does not answer says nothing about it.
    private func mustExist(_ id: UUID, _ options: CallOptions) async throws(RPCError) {
        do throws(RPCError) {
            _ = try await registry.plugin("feed").call(FeedContract.get, FeedItemSelection(id: id), options)
        } catch {
            if error.kind == .notFound { throw error }
        }
    }
}

extension ListedComments {
    /// What its comments take in an answer, about.
    fileprivate var size: Int {
        items.reduce(0) { $0 + $1.message.utf8.count + $1.author.username.utf8.count + Self.sizeOfTheRest }
    }

    /// Names, ids, dates and brackets of a comment.
    private static let sizeOfTheRest = 140
}
