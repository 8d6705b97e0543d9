import CommentsContract
import EdgeModel
import FeedContract
import Foundation
import GatewayContract
import HTTPTypes
import NIOCore
import Presentation
import RPC

/// What a reader has typed into the form of a comment, and why it was refused.
struct CommentForm: Sendable {
    var username = ""
    var message = ""

    /// In the reader's language; nil for a form that was not sent yet.
    var error: String?

    /// Whether the browser's token was wrong.
    var needsToken = false
}

extension Pages {
    /// An image with a page of its comments, and the form where comments can be written.
    /// - Parameters:
    ///   - form: shown again after a refusal, with what the reader has typed.
    ///   - status: that of the refusal.
    func comments(
        of id: UUID, after cursor: UUID? = nil, form: CommentForm = CommentForm(),
        status: HTTPResponse.Status = .ok, _ reader: Reader, _ options: CallOptions
    ) async throws(RPCError) -> HTTPAnswer {
        let list = ListComments(imageID: id, limit: Self.commentsPageSize, afterID: cursor)
        let commentOptions = waitsForComments(reader) ? options : inTime(options)
        async let loadedItem = result { () throws(RPCError) in try await gateway.shownItem(id, options) }
        async let loadedComments = result { () throws(RPCError) in
            try await gateway.commentsPage(list, in: reader.language, commentOptions)
        }
        async let loadedNeighbours = neighbours(of: id, options)
        let (item, comments, neighbours) = await (loadedItem, loadedComments, loadedNeighbours)
        if case .failure(let error) = comments {
            // A wrong cursor, or no such image. Without the feed and the comments nothing can be shown.
            if cursor != nil && error.kind == .invalidParams || error.kind == .notFound { throw error }
        }
        // An edge may have the comments without the item. Elsewhere a page without its picture would be empty.
        if case .failure(let error) = item, comments.value?.origin ?? .store == .store { throw error }

        let texts = Texts(reader.language)
        let image = item.value.map { FeedImagePresenter.viewModel($0, reader.language) }
        // A reader would see a date that is far ahead as "now", for ever.
        let published = image?.publishedAt.flatMap { $0.isTooFarAhead(of: gateway.now()) ? nil : $0 }
        let answer = comments.value
        let isLate = comments.error?.kind == .deadlineExceeded
        let isReadOnly = comments.value.map { $0.origin != .store } ?? false
        let hasForm = sessions != nil && !isReadOnly && answer != nil
        let model: [String: Any?] = [
            "id": id.uuidString, "image": image.map { row($0, at: 0, reader) },
            "sizes": "(min-width: 64rem) 44rem, (min-width: 42rem) 40rem, 100vw",
            "comments": answer?.comments.items.map(comment(in: reader.language)) ?? [],
            "empty": hasForm ? answer?.comments.empty : nil,
            "count": answer.flatMap { count($0, after: cursor, reader.language) },
            "cached": answer?.origin == .cache ? answer?.comments.status : nil,
            "savedAt": answer?.savedAt.map(AbsoluteDate.machineText),
            "published": published.map { RelativeDate($0, now: gateway.now()).text(in: reader.language) },
            "fullDate": published.map { AbsoluteDate.text($0, language: reader.language) },
            "machineDate": published.map(AbsoluteDate.machineText),
            "previousImage": neighbours.previous.map { path("/image/\($0.id.uuidString)") },
            "nextImage": neighbours.next.map { path("/image/\($0.id.uuidString)") },
            "next": answer?.nextAfterID.map { path("/image/\(id.uuidString)?after_id=\($0.uuidString)") },
            "first": cursor.map { _ in path("/image/\(id.uuidString)") },
            "problem": answer?.problems.isEmpty == false ? texts[.partsUnavailable] : nil,
            "missing": answer == nil ? texts[isLate ? .commentsLate : .commentsUnavailable] : nil,
            "isLate": isLate, "patiently": link(reader, "wait", "1"),
            "action": path("/v1/image/\(id.uuidString)/comments"),
            "isReadOnly": isReadOnly, "hasForm": hasForm,
            "needsToken": form.needsToken || !hasSession(reader.request),
            "typedName": form.username, "typedMessage": form.message, "refusal": form.error,
        ]
        let frame = Frame(
            title: image.map { windowTitle(of: $0, reader) } ?? texts[.commentsTitle],
            description: image?.description ?? image?.location ?? gateway.site.description(in: reader.language),
            canonicalPath: "/image/\(id.uuidString)",
            imagePath: image?.details.isSensitive == false ? Self.imagePath(id, width: 1_280) : nil, kind: "image")
        return page("comments", frame, model, status, for: reader)
    }

    /// Whether the page waits for its comments: a script has shown the page without them already, and a form that was refused is shown
    /// again with its text.
    private func waitsForComments(_ reader: Reader) -> Bool {
        reader.isScript || reader.request.method == .post || Query(reader.target.query).value("wait") != nil
    }

    /// The options of calls that a page does not wait long for.
    func inTime(_ options: CallOptions) -> CallOptions {
        CallOptions(until: gateway.registry.clock.now + Feed.patienceForParts, trace: options.trace)
    }

    /// The cursor of the page that has a comment.
    /// - Returns: nil for the first page, and when the pages cannot be loaded: the comment is stored, so the reader gets the
    ///   first page.
    func cursor(before comment: UUID, on imageID: UUID, _ options: CallOptions) async -> UUID? {
        var cursor: UUID?
        repeat {
            let list = ListComments(imageID: imageID, limit: Self.commentsPageSize, afterID: cursor)
            let page = await result { () throws(RPCError) in try await gateway.comments.page(list, options).comments }
            guard let page = page.value else { return nil }
            if page.items.contains(where: { $0.id == comment }) { return cursor }
            cursor = page.items.isEmpty ? nil : page.nextAfterID
        } while cursor != nil
        return nil
    }

    static let commentsPageSize = 50

    private func comment(in language: Language) -> (CommentViewModel) -> [String: Any] {
        { comment in
            [
                "commentID": comment.id.uuidString, "author": comment.username, "message": comment.message,
                "date": comment.date, "fullDate": AbsoluteDate.text(comment.createdAt, language: language),
                "machineDate": AbsoluteDate.machineText(comment.createdAt),
            ]
        }
    }

    /// The number of comments, when this page has all of them.
    private func count(_ answer: CommentsAnswer, after cursor: UUID?, _ language: Language) -> String? {
        guard cursor == nil, answer.nextAfterID == nil, !answer.comments.items.isEmpty else { return nil }
        return CommentsCountPresenter.text(answer.comments.items.count, language: language)
    }
}
