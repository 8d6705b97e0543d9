import ArgumentParser
import CommentsContract
import Foundation
import GatewayContract
import RPC

struct CommentCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment",
        abstract: "Comment on an image.",
        discussion: """
            Examples:
              gateway comment IMAGE_ID "Lovely light!"
              gateway comment IMAGE_ID "Que luz!" --username ana
              gateway comment IMAGE_ID -- "-1 from me"    a text that begins with -
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: "The id of the image.") var imageID: UUID
    @Argument(help: "The text, 1 to 2,000 characters.") var text: String

    @Option(help: ArgumentHelp("The author, 1 to 64 characters. Default: the current user.", valueName: "name"))
    var username: String?

    func run(_ session: Session) async throws {
        let request = PostComment(
            imageID: imageID, message: text, username: username ?? NSUserName(),
            // With an id the call can be repeated without adding the comment twice.
            id: UUID())
        _ = try await session.show(GatewayContract.postComment, request) { $0.id.uuidString }
    }
}
