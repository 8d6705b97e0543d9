import Foundation

/// One picture of the feed: what is said about it, and where its bytes are.
public struct FeedImage: Equatable, Sendable {
    public let id: UUID
    public let description: String?
    public let location: String?

    /// An absolute URI as text: it is passed on and never followed here.
    public let image: String

    public init(id: UUID, description: String?, location: String?, image: String) {
        self.id = id
        self.description = description
        self.location = location
        self.image = image
    }
}

extension FeedImage {
    /// The bytes that it takes in memory.
    public var weight: Int {
        image.utf8.count + (description?.utf8.count ?? 0) + (location?.utf8.count ?? 0) + MemoryLayout<Self>.size
    }
}
