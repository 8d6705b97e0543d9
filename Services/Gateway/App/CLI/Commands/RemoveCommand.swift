import ArgumentParser
import FeedContract
import Foundation
import Presentation
import RPC

struct RemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove images from the feed; their bytes and comments remain.",
        discussion: """
            Anyone who knows an image's id can still read its comments. An edge drops a removed image the next time it \
            reads that page from the upstream. To drop the bytes on an edge at once, use: \
            gateway call image-data.evict 'urls=["URL"]' --root EDGE

            Examples:
              gateway remove IMAGE_ID
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("The ids of the images, up to 100.", valueName: "image-id")) var imageIDs: [UUID]

    func run(_ session: Session) async throws {
        _ = try await session.show(FeedContract.remove, RemovedItems(ids: imageIDs)) {
            Texts(session.language).text(.removedCount, "\($0.count)")
        }
    }
}
