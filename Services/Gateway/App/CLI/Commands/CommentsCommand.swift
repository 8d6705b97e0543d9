import ArgumentParser
import CommentsContract
import Foundation
import GatewayContract
import Presentation
import RPC

struct CommentsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "comments",
        abstract: "Show the comments of an image, oldest first.",
        discussion: """
            Examples:
              gateway comments IMAGE_ID
              gateway comments IMAGE_ID --locale pt-BR
            """)

    @OptionGroup var client: ClientOptions

    static let isPaged = true
    static let hasTranslatedErrors = true
    static let parameterNames = ["limit": "--limit", "after_id": "--after"]

    @Argument(
        help: ArgumentHelp("The id of the image, or its beginning.", valueName: "image-id"), completion: .imageIDs,
        transform: ImageID.argument)
    var image: ImageID

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of comments per page, 1…100. Default: 100.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("Show the comments after this one.", valueName: "id"), transform: UUID.argument)
    var after: UUID?

    @Flag(help: "Show all pages up to the last comment.")
    var all = false

    func run(_ session: Session) async throws {
        let imageID = try await image.resolved(session)
        var afterID = after
        var isFirst = true
        repeat {
            let request = CommentsRequest(imageID: imageID, limit: limit, afterID: afterID, locale: session.locale)
            let text = CommentsText(output: session.output, texts: Texts(session.language))
            let answer = try await session.show(GatewayContract.comments, request) {
                text.page($0, isFirst: isFirst, next: all ? nil : next(after: $0, of: imageID))
            }
            for problem in answer.problems { session.complain(about: problem) }
            afterID = answer.nextAfterID
            isFirst = false
        } while all && afterID != nil
    }

    /// The command for the next page.
    private func next(after answer: CommentsAnswer, of imageID: UUID) -> String? {
        let size = limit.map { " --limit \($0)" } ?? ""
        return answer.nextAfterID.map {
            "gateway comments \(imageID.uuidString)\(client.route)\(size) --after \($0.uuidString)"
        }
    }
}

/// Formats comments as text.
struct CommentsText {
    let output: Output
    let texts: Texts

    /// - Parameter next: the command for the next page; nil to omit it.
    func page(_ answer: CommentsAnswer, isFirst: Bool, next: String?) -> String {
        let comments = answer.comments
        let heading =
            isFirst
            ? [output.style.bold(comments.title), comments.status.map { output.style.dim(output.folded($0)) }] : []
        let body = comments.items.isEmpty ? comments.empty.map(output.folded) : table(comments.items)
        let hint = next.map { output.style.dim("\(texts[.feedNextPage]): \($0)") }
        return (heading + [body, hint]).compactMap(\.self).joined(separator: "\n")
    }

    private func table(_ comments: [CommentViewModel]) -> String {
        let columns = [
            TextTable.Column(texts[.columnAuthor], fit: .shorten), TextTable.Column(texts[.columnDate]),
            TextTable.Column(texts[.columnMessage], fit: .wrap),
        ]
        return TextTable(columns, rows: comments.map { [$0.username, $0.date, $0.message] })
            .rendered(in: output.columns, style: output.style)
    }
}
