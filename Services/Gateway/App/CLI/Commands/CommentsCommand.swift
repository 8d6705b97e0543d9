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

    @Argument(help: "The id of the image.", completion: .imageIDs, transform: UUID.argument) var imageID: UUID

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The number of comments per page, 1…100. Default: 100.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("Show the comments after this one.", valueName: "id"), transform: UUID.argument)
    var after: UUID?

    @Flag(help: "Show all pages up to the last comment.")
    var all = false

    func run(_ session: Session) async throws {
        var afterID = after
        var isFirst = true
        repeat {
            let request = CommentsRequest(imageID: imageID, limit: limit, afterID: afterID, locale: session.locale)
            let answer = try await session.show(GatewayContract.comments, request) {
                text($0, isFirst, session.output, Texts(session.language))
            }
            for problem in answer.problems { session.complain(about: problem) }
            afterID = answer.nextAfterID
            isFirst = false
        } while all && afterID != nil
    }

    private func text(_ answer: CommentsAnswer, _ isFirst: Bool, _ output: Output, _ texts: Texts) -> String {
        let comments = answer.comments
        let heading = isFirst ? [output.style.bold(comments.title), comments.status.map(output.style.dim)] : []
        let body = comments.items.isEmpty ? comments.empty : table(comments.items, output, texts)
        let size = limit.map { " --limit \($0)" } ?? ""
        let hint =
            all
            ? nil
            : answer.nextAfterID.map {
                "gateway comments \(imageID.uuidString)\(client.route)\(size) --after \($0.uuidString)"
            }
        let next = hint.map { output.style.dim("\(texts[.feedNextPage]): \($0)") }
        return (heading + [body, next]).compactMap(\.self).joined(separator: "\n")
    }

    private func table(_ comments: [CommentViewModel], _ output: Output, _ texts: Texts) -> String {
        let columns = [
            TextTable.Column(texts[.columnAuthor], fit: .shorten), TextTable.Column(texts[.columnDate]),
            TextTable.Column(texts[.columnMessage], fit: .wrap),
        ]
        return TextTable(columns, rows: comments.map { [$0.username, $0.date, $0.message] })
            .rendered(in: output.columns, style: output.style)
    }
}
