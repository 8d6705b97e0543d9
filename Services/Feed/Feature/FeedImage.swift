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
    public private(set) var publishedAt: Date?

    /// The size and a placeholder of the picture. They are not part of the content.
    public private(set) var hints: PictureHints

    /// Whose picture it is, what it shows, and whether to cover it.
    public private(set) var details: PictureDetails

    public init(
        id: UUID, description: String?, location: String?, image: String, tags: [String] = [],
        publishedAt: Date? = nil, hints: PictureHints = PictureHints(), details: PictureDetails = PictureDetails()
    ) {
        self.id = id
        self.description = description
        self.location = location
        self.image = image
        self.tags = tags
        self.publishedAt = publishedAt?.wholeSeconds
        self.hints = hints
        self.details = details
    }
}

extension FeedImage {
    /// Whether the items are equal, apart from their dates, their hints, details that only one of them has, and the case and the width
    /// of their tags.
    public func hasContent(of other: FeedImage) -> Bool {
        id == other.id && description == other.description && location == other.location && image == other.image
            && ItemTags.areEqual(tags, other.tags) && details.agrees(with: other.details)
    }

    /// The same item with other hints.
    public func with(_ hints: PictureHints) -> FeedImage {
        var image = self
        image.hints = hints
        return image
    }

    /// The same item with other details.
    public func with(_ details: PictureDetails) -> FeedImage {
        var image = self
        image.details = details
        return image
    }

    /// The same item with another date.
    public func published(at time: Date) -> FeedImage {
        var image = self
        image.publishedAt = time.wholeSeconds
        return image
    }

    /// The size of the item in memory, in bytes.
    public var weight: Int {
        (tags + details.texts).reduce(MemoryLayout<Self>.size) { $0 + $1.utf8.count + MemoryLayout<String>.size }
            + image.utf8.count + (description?.utf8.count ?? 0) + (location?.utf8.count ?? 0)
    }
}

extension Date {
    /// The date without its fraction of a second, which no payload has.
    fileprivate var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
