import ArgumentParser
import EdgeModel
import FeedContract
import Foundation
import ImageDataContract
import JSON
import Presentation
import RPC
import ServiceKit

struct PublishCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish an image at the top of the feed.",
        discussion: """
            A file is stored: a JPEG, PNG, GIF, WebP or AVIF of up to 6,000,000 bytes; HEIC is converted to JPEG by \
            libvips. The position where it was taken is removed from its metadata, except with --keep-position. For a \
            URL, the image is fetched first, and nothing is published if that fails; --unchecked publishes it nevertheless. \
            A URL that can never be fetched is rejected: one with a user name or password, with a port other than 80 and \
            443, or whose host has an address that is not public. Use image-data-service --allow-private-upstream \
            HOST:PORT to allow a host and a port.

            Examples:
              gateway publish sunset.jpg --description "Sunset" --location "Porto Covo" --tag sea --tag "golden hour"
              gateway publish pier.jpg --alt "A pier in fog" --credit "Ana Silva" --license CC-BY-4.0
              gateway publish https://example.org/sunset.jpg --id 7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E
            """)

    static let parameterNames = [
        "items[0].description": "--description", "items[0].location": "--location", "items[0].id": "--id",
        "items[0].tags": "--tag", "items[0].alt": "--alt", "items[0].credit": "--credit",
        "items[0].license": "--license", "items[0].source": "--source",
    ]

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("An image file, or the URL of an image.", valueName: "file|url"), completion: .file())
    var image: String

    @Option(
        help: ArgumentHelp(
            "The id of the item. Publishing the same item again changes nothing. Default: random.", valueName: "uuid"),
        transform: UUID.argument)
    var id: UUID?

    @Option(help: ArgumentHelp("What the image shows, up to 10,000 characters.", valueName: "text"))
    var description: String?

    @Option(
        name: .customLong("tag"),
        help: ArgumentHelp(
            "A tag of the image, up to 50 characters. Repeatable, up to \(ItemTags.maximumCount) times.",
            valueName: "tag"))
    var tags: [String] = []

    @Option(help: ArgumentHelp("Where the image was taken, up to 1,000 characters.", valueName: "text"))
    var location: String?

    @Option(help: ArgumentHelp("What the image shows, for people who cannot see it.", valueName: "text"))
    var alt: String?

    @Option(help: ArgumentHelp("The author of the image.", valueName: "text"))
    var credit: String?

    @Option(help: ArgumentHelp("The licence of the image: an SPDX identifier, or a text.", valueName: "text"))
    var license: String?

    @Option(help: ArgumentHelp("The URL of the original.", valueName: "url"))
    var source: String?

    @Flag(help: "Cover the image until a reader asks for it.")
    var sensitive = false

    @Flag(help: "Leave the position where the picture was taken in its metadata.")
    var keepPosition = false

    @Flag(help: "Publish a URL whose image cannot be fetched now.")
    var unchecked = false

    func run(_ session: Session) async throws {
        let id = id ?? UUID.random()
        let isURL = ["http:", "https:", "urn:"].contains { image.lowercased().hasPrefix($0) }
        guard isURL || !image.contains("://") else {
            throw ValidationError(
                "\"\(Escaping.visible(image))\" is not the URL of an image: it must begin with http:, https: or urn:")
        }
        if isURL {
            try checkForm()
            if try await check(session), !unchecked { try await fetch(session) }
        }
        let stored = isURL ? nil : try await store(session)
        let item = FeedItem(
            id: id, description: description, location: location, image: stored?.url ?? image, tags: tags,
            hints: stored?.hints ?? PictureHints(),
            details: PictureDetails(
                alt: alt, credit: credit, license: license,
                source: source.map { WebAddress.resolve($0, schemes: PictureDetails.sourceSchemes) ?? $0 },
                isSensitive: sensitive))
        let count = try await session.call(FeedContract.publish, PublishedItems(items: [item])).count
        let words = count == 0 ? Texts(session.language).text(.publishPresent, id.uuidString) : id.uuidString
        if session.asJSON {
            session.output.print(RawJSON(Publication(count: count, item: item), as: Publication.codec))
        } else {
            session.output.print(words)
        }
    }

    /// Rejects a URL that no deployment accepts. It runs before `check`, whose error would suggest allowing the host.
    private func checkForm() throws {
        do throws(JSONError) {
            _ = try RawJSON(image, as: .string).read(as: FeedItem.authoredImage)
        } catch {
            throw ValidationError("\"\(Escaping.visible(image))\" is not a valid image URL: it \(error)")
        }
    }

    /// Rejects a URL that is never fetched. It ignores other errors: publishing may work without the image service, and
    /// reports whether this deployment is read-only.
    ///
    /// - Returns: whether the image can be fetched here, as far as is known.
    private func check(_ session: Session) async throws -> Bool {
        guard !image.lowercased().hasPrefix("urn:") else { return false }
        do throws(RPCError) {
            let checked = try await session.call(ImageDataContract.check, ImageSelection(url: image))
            guard checked.availability == .absent else { return true }
            session.output.say(
                "Note: \(Escaping.visible(image)) is not fetched, because image-data-service runs with --no-fetch. "
                    + "Put the image's bytes with: gateway call image-data.put")
        } catch {
            switch error.kind {
            case .permissionDenied:
                let texts = Texts(session.language)
                let hint = remedy.map { texts.text(.allowServer, $0) }
                // The reason of the service is in English. The other texts name the URL in its place.
                let reason = texts.language == .en ? error.message : image
                let refusal = RPCError(error.kind, texts.text(.publishRefused, reason), begun: false)
                throw CommandFailure(refusal, hints: [hint].compactMap(\.self))
            case .readOnly, .invalidParams: break
            default: session.output.say("Note: cannot check whether the image can be fetched: \(error.message)")
            }
        }
        return false
    }

    /// Fetches the image, so that nothing is published that readers would never see.
    private func fetch(_ session: Session) async throws {
        do throws(RPCError) {
            _ = try await session.call(ImageDataContract.load, LoadImage(url: image))
        } catch {
            guard ![.unavailable, .readOnly].contains(error.kind) else { throw error }
            throw CommandFailure(error, hints: [Texts(session.language)[.publishUnfetched]])
        }
    }

    /// The command that allows the URL's host and port, in addition to those that were allowed before. The service does not
    /// reveal the address of the host name.
    private var remedy: String? {
        guard let url = URLComponents(string: image), let host = url.host, !host.isEmpty, url.user == nil else {
            return nil
        }
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        let option = "--allow-private-upstream"
        let endpoints = allowedEndpoints.filter { $0 != "\(host):\(port)" } + ["\(host):\(port)"]
        return
            (["deploy/up --root", client.deployment?.shellWord ?? "DIR"] + endpoints.map { "\(option) \($0.shellWord)" })
            .joined(separator: " ")
    }

    /// What the settings allow. A suggested command must repeat it, because new values replace it. Empty if this user cannot read the
    /// settings.
    private var allowedEndpoints: [String] {
        guard let root = client.deployment, let file = try? ConfigurationFile(path: Root(root).configuration) else {
            return []
        }
        let value = file.members[ConfigurationFile.services]?["allow-private-upstream"]
        return (value?.elements ?? value.map { [$0] } ?? []).compactMap(\.text)
    }

    private func store(_ session: Session) async throws -> PutAnswer {
        let picture = try await PictureFile(path: image).prepared(keepingPosition: keepPosition)
        if picture.hadPosition { session.output.say(Texts(session.language).text(.importPositions, "1")) }
        return try await session.call(ImageDataContract.put, PutImage(data: Bytes(picture.data), url: nil))
    }
}

/// The JSON output: whether the item is new, and the item.
private struct Publication {
    let count: Int
    let item: FeedItem

    static let codec = Codec<Publication>.object { object in
        let count = object.required("count", .integer(0...1), \.count)
        let item = object.required("item", FeedItem.codec, \.item)
        return { members throws(JSONError) in Publication(count: try members[count], item: try members[item]) }
    }
}
