import Foundation

/// One image of the feed, as shown.
public struct FeedImageViewModel: Equatable, Sendable {
    public let id: UUID
    /// Names the image where there is room for one line, and for those who do not see it.
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
