import EdgeModel
import Foundation

/// What is searched of an item of the feed.
public struct SearchableImage: Equatable, Sendable {
    public let id: UUID
    public let title: String
    public let place: String
    public let tags: [String]
    public let credit: String

    public init(id: UUID, title: String, place: String, tags: [String], credit: String = "") {
        self.id = id
        self.title = title
        self.place = place
        self.tags = tags
        self.credit = credit
    }

    /// The size of the texts in UTF-8.
    public var textBytes: Int { ([title, place, credit] + tags).reduce(0) { $0 + $1.utf8.count } }
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

    /// The size of the texts in UTF-8.
    public var textBytes: Int { author.utf8.count + message.utf8.count }
}
