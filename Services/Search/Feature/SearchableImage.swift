import EdgeModel
import Foundation

/// What is searched of an item of the feed.
public struct SearchableImage: Equatable, Sendable {
    public let id: UUID
    public let title: String
    public let place: String
    public let tags: [String]

    public init(id: UUID, title: String, place: String, tags: [String]) {
        self.id = id
        self.title = title
        self.place = place
        self.tags = tags
    }
}

/// What is searched of a comment.
public struct SearchableComment: Equatable, Sendable {
    public let id: UUID
    public let author: String
    public let message: String

    public init(id: UUID, author: String, message: String) {
        self.id = id
        self.author = author
        self.message = message
    }
}
