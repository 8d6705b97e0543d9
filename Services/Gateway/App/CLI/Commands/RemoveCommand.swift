import ArgumentParser
import FeedContract
import Foundation
import JSON
import Presentation
import RPC

struct RemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove images from the feed; their bytes and comments remain.",
        discussion: """
            An id that is not in the feed is reported, the others are removed, and the exit code is 66. With --force \
            it is ignored, so that a script may run twice.

            Anyone who knows an image's id can still read its comments. An edge drops a removed image the next time it \
            reads that page from the upstream. To drop the bytes on an edge at once, use: \
            gateway call image-data.evict 'urls=["URL"]' --root EDGE

            Examples:
              gateway remove IMAGE_ID
              gateway remove IMAGE_ID IMAGE_ID --force
            """)

    static let parameterNames = ["ids": "the ids"]

    @OptionGroup var client: ClientOptions

    @Argument(
        help: ArgumentHelp("The ids of the images, or their beginnings, up to 100.", valueName: "image-id"),
        completion: .imageIDs,
        transform: ImageID.argument)
    var images: [ImageID]

    @Flag(name: .shortAndLong, help: "Ignore ids that are not in the feed.")
    var force = false

    func run(_ session: Session) async throws {
        var imageIDs: [UUID] = []
        for image in images {
            do throws(RPCError) {
                imageIDs.append(try await image.resolved(session))
            } catch {
                guard force, error.kind == .notFound else { throw error }
            }
        }
        guard !imageIDs.isEmpty else {
            let none = Count(count: 0)
            return session.asJSON
                ? session.output.print(RawJSON(none, as: Count.codec))
                : session.output.print(Texts(session.language).text(.removedCount, "0"))
        }
        // The answer of `feed.remove` has only a count, so missing ids are found before.
        let missing = force ? [] : try await missing(imageIDs, session)
        if missing.count < imageIDs.count {
            _ = try await session.show(FeedContract.remove, RemovedItems(ids: imageIDs)) {
                Texts(session.language).text(.removedCount, "\($0.count)")
            }
        }
        guard let last = missing.last else { return }
        let texts = Texts(session.language)
        for id in missing.dropLast() { session.output.complain(texts.text(.imageMissing, id.uuidString)) }
        throw RPCError(.notFound, texts.text(.imageMissing, last.uuidString))
    }

    private func missing(_ imageIDs: [UUID], _ session: Session) async throws(RPCError) -> [UUID] {
        var missing: [UUID] = []
        for id in imageIDs {
            do throws(RPCError) {
                _ = try await session.call(FeedContract.get, FeedItemSelection(id: id))
            } catch {
                guard error.kind == .notFound else { throw error }
                missing.append(id)
            }
        }
        return missing
    }
}
