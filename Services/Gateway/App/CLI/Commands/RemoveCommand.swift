import ArgumentParser
import FeedContract
import Foundation
import RPC

struct RemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take images out of the feed; their bytes and comments stay.",
        discussion: """
            Who knows the id of an image can read its comments still. An edge lets go of it when it reads the page anew on \
            which it was; of the bytes at once with: gateway call image-data.evict 'urls=["URL"]' --root EDGE

            Examples:
              gateway remove IMAGE_ID
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("The images, up to 100.", valueName: "image-id")) var imageIDs: [UUID]

    func run(_ session: Session) async throws {
        _ = try await session.show(FeedContract.remove, RemovedItems(ids: imageIDs)) { "\($0.count) removed" }
    }
}
