import ArgumentParser
import FeedContract
import Foundation
import ImageDataContract
import RPC

struct PublishCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Put one image on top of the feed.",
        discussion: """
            A file's bytes are stored; of a URL only the address is.

            Examples:
              gateway publish sunset.jpg --description "Sunset" --location "Porto Covo"
              gateway publish https://example.org/sunset.jpg --id 7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("A picture, or the URL of one.", valueName: "file|url")) var image: String

    @Option(help: ArgumentHelp("Its id; publishing the same again changes nothing.", valueName: "uuid"))
    var id: UUID?

    @Option(help: ArgumentHelp("What it shows, up to 10,000 characters.", valueName: "text"))
    var description: String?

    @Option(help: ArgumentHelp("Where it was taken, up to 1,000 characters.", valueName: "text"))
    var location: String?

    func run(_ session: Session) async throws {
        let id = id ?? UUID()
        let isURL = ["http:", "https:", "urn:"].contains { image.lowercased().hasPrefix($0) }
        let url = isURL ? image : try await store(session)
        let item = FeedItem(id: id, description: description, location: location, image: url)
        _ = try await session.show(FeedContract.publish, PublishedItems(items: [item])) { count in
            count.count == 0 ? "\(id.uuidString) was there already" : id.uuidString
        }
    }

    private func store(_ session: Session) async throws -> String {
        let bytes = try PictureFile(path: image).read()
        return try await session.call(ImageDataContract.put, PutImage(data: bytes, url: nil)).url
    }
}
