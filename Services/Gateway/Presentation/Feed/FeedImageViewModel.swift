import Foundation

/// The texts of one image of the feed.
public struct FeedImageViewModel: Equatable, Sendable {
    public let id: UUID
    /// A one-line name of the image, also for screen readers.
    public let title: String
    public let description: String?
    public let location: String?
    public let image: String

    public init(id: UUID, title: String, description: String?, location: String?, image: String) {
        self.id = id
        self.title = title
        self.description = description
        self.location = location
        self.image = image
    }
}
