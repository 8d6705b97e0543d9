import Foundation

/// One item of the feed: its texts and the URL of its image.
public struct FeedImage: Equatable, Sendable {
    public let id: UUID
    public let description: String?
    public let location: String?

    /// An absolute URI. The feed service forwards it and never fetches it.
    public let image: String

    public init(id: UUID, description: String?, location: String?, image: String) {
        self.id = id
        self.description = description
        self.location = location
        self.image = image
    }
}

extension FeedImage {
    /// The size of the item in memory, in bytes.
    public var weight: Int {
        image.utf8.count + (description?.utf8.count ?? 0) + (location?.utf8.count ?? 0) + MemoryLayout<Self>.size
    }
}
