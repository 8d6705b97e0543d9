import EdgeModel
import Foundation

/// One item of the feed: its texts and the URL of its image.
public struct FeedImage: Equatable, Sendable {
    public let id: UUID
    public let description: String?
    public let location: String?

    /// An absolute URI. The feed service forwards it and never fetches it.
    public let image: String

    /// The size and a placeholder of the picture. They are not part of the content.
    public let hints: PictureHints

    public init(
        id: UUID, description: String?, location: String?, image: String, hints: PictureHints = PictureHints()
    ) {
        self.id = id
        self.description = description
        self.location = location
        self.image = image
        self.hints = hints
    }
}

extension FeedImage {
    /// Whether the items are equal, apart from their hints.
    public func hasContent(of other: FeedImage) -> Bool {
        id == other.id && description == other.description && location == other.location && image == other.image
    }

    /// The same content with other hints.
    public func with(_ hints: PictureHints) -> FeedImage {
        FeedImage(id: id, description: description, location: location, image: image, hints: hints)
    }

    /// The size of the item in memory, in bytes.
    public var weight: Int {
        image.utf8.count + (description?.utf8.count ?? 0) + (location?.utf8.count ?? 0) + MemoryLayout<Self>.size
    }
}
