import CommentsContract
import Foundation
import HTTPTypes
import RPC

extension API {
    /// All comments of an image, oldest first.
    func comments(
        of id: UUID, _ request: HTTPRequest, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let document = try await recentComments.document(of: id) { () throws(RPCError) in
            try await allComments(of: id, options)
        }
        let representation = document.json.representation(for: request)
        let needsGzip = representation.isCompressed && !representation.isKnown
        let compressed = needsGzip ? try await recentComments.gzip(document.json, within: budget) : nil
        var answer = HTTPAnswer(document.json, representation, compressed, for: request)
        Freshness(document.origin, savedAt: document.savedAt, now: now()).apply(to: &answer.fields)
        return answer
    }

    /// The service's pages as one document, as old as the oldest of them. What is written of it counts against the budget.
    /// - Throws: `too_large` for more than we send, `overloaded` when the budget has no room, `not_found` for an image that
    ///   does not exist.
    private func allComments(of id: UUID, _ options: CallOptions) async throws(RPCError) -> CommentsDocument {
        let service = try registry.plugin("comments")
        var writer = CommentsWriter()
        var (origin, savedAt, cursor) = (ListedComments.Origin.store, Date?.none, UUID?.none)
        var reserved = 0
        defer { budget.release(reserved) }
        repeat {
            let page = try await service.call(
                CommentsContract.list, ListComments(imageID: id, afterID: cursor), options)
            if cursor == nil { _ = try await registry.problem(provingImageOf: page, id, options) }
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
            // An empty page is the end, whatever it says.
            cursor = page.items.isEmpty ? nil : page.nextAfterID
        } while cursor != nil
        return CommentsDocument(json: writer.finish(), origin: origin, savedAt: savedAt)
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
