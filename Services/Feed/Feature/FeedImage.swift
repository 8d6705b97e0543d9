import EdgeModel
import Foundation

/// One item of the feed: its texts and the URL of its image.
public struct FeedImage: Equatable, Sendable {
    public let id: UUID
    public let description: String?
    public let location: String?

    /// An absolute URI. The feed service forwards it and never fetches it.
    public let image: String

    /// In the author's order, as `ItemTags` stores them.
    public let tags: [String]

    /// When an authority stored the item first, in whole seconds. It is not part of the content. Nil for an item of a
    /// store from before dates were stored, of an upstream without dates, and to be published now.
    public let publishedAt: Date?

    /// The size and a placeholder of the picture. They are not part of the content.
    public let hints: PictureHints

    public init(
        id: UUID, description: String?, location: String?, image: String, tags: [String] = [],
        publishedAt: Date? = nil, hints: PictureHints = PictureHints()
    ) {
        self.id = id
        self.description = description
        self.location = location
        self.image = image
        self.tags = tags
        self.publishedAt = publishedAt?.wholeSeconds
        self.hints = hints
    }
}

extension FeedImage {
    /// Whether the items are equal, apart from their dates, their hints, and the case and the width of their tags.
    public func hasContent(of other: FeedImage) -> Bool {
        id == other.id && description == other.description && location == other.location && image == other.image
            && ItemTags.areEqual(tags, other.tags)
    }

    /// The same item with other hints.
    public func with(_ hints: PictureHints) -> FeedImage {
        FeedImage(
            id: id, description: description, location: location, image: image, tags: tags,
            publishedAt: publishedAt, hints: hints)
    }

    /// The same item with another date.
    public func published(at time: Date) -> FeedImage {
        FeedImage(
            id: id, description: description, location: location, image: image, tags: tags, publishedAt: time,
            hints: hints)
    }

    /// The size of the item in memory, in bytes.
    public var weight: Int {
        tags.reduce(MemoryLayout<Self>.size) { $0 + $1.utf8.count + MemoryLayout<String>.size }
            + image.utf8.count + (description?.utf8.count ?? 0) + (location?.utf8.count ?? 0)
    }
}

extension Date {
    /// The date without its fraction of a second, which no payload has.
    fileprivate var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
