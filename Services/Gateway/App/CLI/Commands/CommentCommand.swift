import ArgumentParser
import CommentsContract
import Foundation
import GatewayContract
import JSON
import Presentation
import RPC

struct CommentCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment",
        abstract: "Comment on an image.",
        discussion: """
            Examples:
              gateway comment IMAGE_ID "Lovely light!"
              gateway comment IMAGE_ID "Que luz!" --username ana
              gateway comment IMAGE_ID - <letter.txt      a text from standard input
              gateway comment IMAGE_ID -- "-1 from me"    a text that begins with -
            """)

    @OptionGroup var client: ClientOptions

    static let parameterNames = ["message": "the text", "username": "--username"]

    /// The maximum size of a text on standard input, in bytes: far more than a comment may have.
    static let maximumTextBytes = 100_000

    @Argument(
        help: ArgumentHelp("The id of the image, or its beginning.", valueName: "image-id"), completion: .imageIDs,
        transform: ImageID.argument)
    var image: ImageID
    @Argument(help: "The text, 1 to 2,000 characters; - reads it from standard input.") var text: String

    @Option(help: ArgumentHelp("The author, 1 to 64 characters. Default: the current user.", valueName: "name"))
    var username: String?

    func run(_ session: Session) async throws {
        let message =
            text == InputFile.standardInput ? try InputFile(path: text).text(upTo: Self.maximumTextBytes) : text
        let imageID = try await image.resolved(session)
        let request = PostComment(
            imageID: imageID, message: message, username: username ?? NSUserName(),
            // With an id the call can be repeated without adding the comment twice.
            id: UUID.random())
        do {
            _ = try await session.show(GatewayContract.postComment, request) { $0.id.uuidString }
        } catch let error as RPCError where error.kind == .notFound {
            throw RPCError(.notFound, Texts(session.language).text(.imageMissing, imageID.uuidString))
        }
    }
}
