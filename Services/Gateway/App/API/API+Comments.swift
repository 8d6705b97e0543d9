import CommentsContract
import EdgeModel
import Foundation
import HTTPTypes
import RPC

extension API {
    /// Answers with all comments of an image, oldest first.
    func comments(
        of id: UUID, _ request: HTTPRequest, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let document = try await gateway.comments.recent.document(of: id, isFresh: request.asksForFreshAnswer) {
            () throws(RPCError) in
            try await allComments(of: id, options)
        }
        var answer = try await answer(document.json, from: gateway.comments.recent, for: request)
        if document.origin == .store { answer.fields["Link"] = publicURL.monitor(CommentsEvent.path) }
        Freshness(document.origin, savedAt: document.savedAt, now: gateway.now()).apply(to: &answer.fields)
        return answer
    }

    /// Answers with a shared document, which is compressed once for all clients.
    func answer<ID, Document>(
        _ document: JSONDocument, from recent: RecentDocuments<ID, Document>, for request: HTTPRequest
    ) async throws(RPCError) -> HTTPAnswer {
        let representation = document.representation(for: request)
        let needsGzip = representation.isCompressed && !representation.isKnown
        let compressed = needsGzip ? try await recent.gzip(document, within: budget) : nil
        return HTTPAnswer(document, representation, compressed, for: request)
    }

    /// Combines the service's pages into one document, which is as old as the oldest page. Its size counts against the
    /// budget.
    /// - Throws: `too_large` above `commentsBytes`, `overloaded` when the budget is used up, `not_found` for an unknown
    ///   image.
    private func allComments(of id: UUID, _ options: CallOptions) async throws(RPCError) -> CommentsDocument {
        var writer = CommentsWriter()
        var (origin, savedAt, cursor) = (AnswerOrigin.store, Date?.none, UUID?.none)
        var reserved = 0
        defer { budget.release(reserved) }
        repeat {
            let (page, _) = try await gateway.comments.page(ListComments(imageID: id, afterID: cursor), options)
            if writer.count + page.size > AnswerBudget.smallAnswer {
                try budget.reserve(page.size)
                reserved += page.size
            }
            writer.append(page.items)
            guard writer.count <= limits.commentsBytes else {
                throw RPCError(.tooLarge, "the comments have more than \(limits.commentsBytes) bytes")
            }
            if cursor == nil || page.origin == .cache { origin = page.origin }
            savedAt = [savedAt, page.savedAt].compactMap(\.self).min()
            // An empty page is the end, even if it has a cursor.
            cursor = page.items.isEmpty ? nil : page.nextAfterID
        } while cursor != nil
        return CommentsDocument(json: writer.finish(), origin: origin, savedAt: savedAt)
    }
}

extension ListedComments {
    /// The approximate size of the comments in an answer, in bytes.
    fileprivate var size: Int {
        items.reduce(0) { $0 + $1.message.utf8.count + $1.author.username.utf8.count + Self.sizeOfTheRest }
    }

    /// The size of the member names, id, date and brackets of a comment.
    private static let sizeOfTheRest = 140
}
