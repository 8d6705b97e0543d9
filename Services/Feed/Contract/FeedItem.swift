import EdgeModel
import Foundation
import JSON

/// An item as the API transfers it. The member names are those of the HTTP API.
public struct FeedItem: Sendable, Equatable {
    public let id: UUID

    public let description: String?
    public let location: String?

    /// An absolute URL: `http:`, `https:` or `urn:`.
    public var image: String

    /// 0 to 20 tags in the author's order, as `ItemTags` stores them. An upstream may have more and longer ones.
    public let tags: [String]

    /// When the authority stored the item first; nil when that is not known. `feed.publish` sends it only for an import.
    public let publishedAt: Date?

    /// The size and a placeholder of the picture, as far as they are known.
    public var hints: PictureHints

    /// Whose picture it is, what it shows, and whether to cover it.
    public let details: PictureDetails

    public init(
        id: UUID, description: String? = nil, location: String? = nil, image: String,
        tags: [String] = [], publishedAt: Date? = nil, hints: PictureHints = PictureHints(),
        details: PictureDetails = PictureDetails()
    ) {
        self.id = id
        // An empty text and an absent one are equal.
        self.description = description.flatMap { $0.isEmpty ? nil : $0 }
        self.location = location.flatMap { $0.isEmpty ? nil : $0 }
        self.image = image
        self.tags = tags
        self.publishedAt = publishedAt
        self.hints = hints
        self.details = details
    }

    /// The maximum length of a published description in Unicode scalars, after trimming.
    public static let maximumDescription = 10_000

    /// The maximum length of a published location in Unicode scalars, after trimming.
    public static let maximumLocation = 1_000

    /// The maximum length of a published image URL in bytes.
    public static let maximumImage = 2_048

    /// The codec of a served item. It has no length limits, because an edge forwards the texts of its upstream
    /// unchanged.
    public static let codec = Codec<FeedItem>.object { object in
        let item = Members(in: &object) { $0 }
        return { members throws(JSONError) in try item.read(members) }
    }

    /// The codec of an item in `feed.publish`, with the length limits.
    public static let authoredCodec = Codec<FeedItem>.object { object in
        let item = Members(
            in: &object, description: .trimmed(0...maximumDescription), location: .trimmed(0...maximumLocation),
            image: authoredImage, tags: authoredTags, date: "For imports; default: now.", isAuthored: true)
        return { members throws(JSONError) in try item.read(members) }
    }

    static let imageSchemes = ["http", "https", "urn"]
}
