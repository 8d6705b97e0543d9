import EdgeModel
import Foundation
import JSON

/// The texts of one image of the feed.
public struct FeedImageViewModel: Equatable, Sendable {
    public let id: UUID
    /// A one-line name of the image, also for screen readers.
    public let title: String
    public let description: String?
    public let location: String?
    public let image: String

    /// In the author's order.
    public let tags: [String]

    /// When the authority stored the item first; nil when that is not known.
    public let publishedAt: Date?

    /// The number of comments: "3 comments"; nil when it is not known.
    public var comments: String?

    /// Values that plugins add, by name.
    public var extensions: [String: RawJSON]

    /// The size of the box for the picture, and what it shows before the picture.
    public let hints: PictureHints

    public init(
        id: UUID, title: String, description: String?, location: String?, image: String,
        tags: [String] = [], publishedAt: Date? = nil, hints: PictureHints = PictureHints(), comments: String? = nil,
        extensions: [String: RawJSON] = [:]
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.location = location
        self.image = image
        self.tags = tags
        self.publishedAt = publishedAt
        self.hints = hints
        self.comments = comments
        self.extensions = extensions
    }
}
