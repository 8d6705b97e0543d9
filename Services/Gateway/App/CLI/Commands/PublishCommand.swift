import ArgumentParser
import FeedContract
import Foundation
import ImageDataContract
import JSON
import RPC

struct PublishCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Put one image on top of the feed.",
        discussion: """
            A file's bytes are stored: a JPEG, PNG, GIF, WebP or AVIF of up to 6,000,000 bytes. Of a URL only the address is \
            stored: the first reader's request fetches the picture. A URL that is never fetched is refused at once: one with \
            a user name or password, with a port other than 80 and 443, or whose host has an address that is not public. \
            image-data-service --allow-private-upstream HOST:PORT allows a host and a port. A host that only does not answer \
            now is no reason to refuse.

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
        guard isURL || !image.contains("://") else {
            throw ValidationError(
                "\"\(Escaping.visible(image))\" is no picture: its URL must begin with http:, https: or urn:")
        }
        if isURL {
            try checkForm()
            try await check(session)
        }
        let url = isURL ? image : try await store(session)
        let item = FeedItem(id: id, description: description, location: location, image: url)
        let count = try await session.call(FeedContract.publish, PublishedItems(items: [item])).count
        let words = count == 0 ? "\(id.uuidString) was there already" : id.uuidString
        session.output.print(
            session.asJSON ? "\(RawJSON(Publication(count: count, item: item), as: Publication.codec))" : words)
    }

    /// Refuses a URL that no deployment takes. Looked at before `check`, which would advise how to allow it.
    private func checkForm() throws {
        do throws(JSONError) {
            _ = try RawJSON(image, as: .string).read(as: FeedItem.authoredImage)
        } catch {
            throw ValidationError("\"\(Escaping.visible(image))\" is no address of a picture: it \(error)")
        }
    }

    /// Refuses a URL that is never fetched. Other errors are left to the publishing itself, which may do without the service
    /// of the pictures and which knows whether this deployment can be written to.
    private func check(_ session: Session) async throws {
        guard !image.lowercased().hasPrefix("urn:") else { return }
        do throws(RPCError) {
            let checked = try await session.call(ImageDataContract.check, ImageSelection(url: image))
            guard checked.availability == .absent else { return }
            session.output.say(
                "Note: \(Escaping.visible(image)) is not fetched, because image-data-service runs with --no-fetch. The item "
                    + "has no picture until its bytes are put: gateway call image-data.put")
        } catch {
            switch error.kind {
            case .permissionDenied:
                var refusal = error
                refusal.message =
                    "Nothing was published, because the picture can never be fetched: \(error.message)\(remedy)"
                throw refusal
            case .readOnly, .invalidParams: return
            default: session.output.say("Note: it is not known whether the picture can be fetched: \(error.message)")
            }
        }
    }

    /// What allows the URL's host, whatever its port and address. The service does not tell what the name resolves to.
    private var remedy: String {
        guard let url = URLComponents(string: image), let host = url.host, !host.isEmpty, url.user == nil else {
            return ""
        }
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return ". If this server may be asked, allow it: deploy/up --allow-private-upstream \(host):\(port)"
    }

    private func store(_ session: Session) async throws -> String {
        let bytes = try PictureFile(path: image).read()
        return try await session.call(ImageDataContract.put, PutImage(data: bytes, url: nil)).url
    }
}

/// What programs are told: whether the item is new, and the id that it has.
private struct Publication {
    let count: Int
    let item: FeedItem

    static let codec = Codec<Publication>.object { object in
        let count = object.required("count", .integer(0...1), \.count)
        let item = object.required("item", FeedItem.codec, \.item)
        return { members throws(JSONError) in Publication(count: try members[count], item: try members[item]) }
    }
}
