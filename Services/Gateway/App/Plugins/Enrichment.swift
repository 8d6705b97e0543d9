import CommentsContract
import Foundation
import JSON
import Presentation

/// An entry of `enriches` in a manifest: the plugin adds a value to items. For a page of items the gateway calls the method once, and
/// puts each value under `extensions.NAME` of its item.
struct Enrichment: Sendable, Equatable {
    /// What can be enriched.
    enum Item: String, Sendable, CaseIterable {
        case feed
    }

    let item: Item

    /// The method of the plugin. It takes `image_ids`, and answers one member, an object keyed by image id.
    let method: String

    /// The name of the extension.
    let name: String

    /// How readers see the values.
    var style = ExtensionStyle()

    /// The maximum number of enrichments in a manifest.
    static let maximumPerPlugin = 4

    /// The maximum number of enrichments of an item by all plugins. With `EnrichmentLimits.answerBytes` it limits the size of a page.
    static let maximumPerItem = 16

    /// The extension with the number of comments. Pages show it as a text of their own. Only `comments.counts` may have this name.
    static let comments = "comments"

    static let codec = Codec<Enrichment>.object { object in
        let item = object.required("item", .oneOf, \.item)
        let method = object.required("method", .string, \.method)
        let name = object.required("as", nameCodec, \.name)
        let label = object.optional("label", LocalizedText.codec(maximum: maximumLabel), \.style.label)
        let format = object.optional("format", .oneOf, \.style.format)
        let link = object.optional("link", linkCodec, \.style.link)
        return { members throws(JSONError) in
            let enrichment = Enrichment(
                item: try members[item], method: try members[method], name: try members[name],
                style: ExtensionStyle(
                    label: try members[label], format: try members[format], link: try members[link]))
            if enrichment.style.format == .link, enrichment.style.link != nil {
                throw .mismatch(
                    path: "link", reason: "cannot be combined with the format link, whose values are the links")
            }
            guard enrichment.name != comments || enrichment.method == CommentsContract.counts.name else {
                throw .mismatch(path: "as", reason: "the name comments is reserved for \(CommentsContract.counts.name)")
            }
            return enrichment
        }
    }

    private static let maximumName = 32

    private static let nameCodec = Codec<String>.string.map(
        describedAs: ["pattern": .string("^[a-z][a-z0-9_]{0,31}$")],
        into: { name throws(JSONError) in
            let isWellFormed =
                name.utf8.count <= maximumName && name.utf8.first.map(isLetter) == true
                && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
            guard isWellFormed else {
                throw .refused("must be 1 to \(maximumName) of a-z, 0-9 and _, beginning with a letter")
            }
            return name
        },
        from: { $0 })

    /// The maximum length of a label in Unicode scalars.
    static let maximumLabel = 40

    private static let linkCodec = Codec<String>.string.map(
        into: { link throws(JSONError) in
            // With the variables filled in, it must be a web address or a path of the gateway.
            let example = link.replacing("{id}", with: "0").replacing("{value}", with: "0")
            let isPath = example.hasPrefix("/") && !example.hasPrefix("//") && !example.contains("\\")
            let address = isPath ? "http://localhost" + example : example
            let json = RawJSON(address, as: .string)
            guard (try? json.read(as: .uri(schemes: ["http", "https"]))) != nil else {
                throw .refused("must be a web address or a path that begins with one slash, with {id} or {value}")
            }
            return link
        },
        from: { $0 })

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}
