import Foundation

/// A comment to be posted.
public struct CommentDraft: Equatable, Sendable {
    public let id: UUID
    public let imageID: UUID
    public let message: String
    public let username: String

    /// When the comment was written; nil for the time of the post.
    public let createdAt: Date?

    public init(id: UUID, imageID: UUID, message: String, username: String, createdAt: Date? = nil) {
        self.id = id
        self.imageID = imageID
        self.message = message
        self.username = username
        self.createdAt = createdAt?.wholeSeconds
    }

    /// The comment that results from a post at `now`.
    public func comment(now: Date) -> ImageComment {
        ImageComment(
            id: id, imageID: imageID, message: message, createdAt: createdAt ?? now.wholeSeconds, username: username)
    }

    /// Whether this draft repeats a stored comment. A draft without a time matches any time.
    public func isRepeat(of comment: ImageComment) -> Bool {
        self.comment(now: createdAt ?? comment.createdAt) == comment
    }
}

extension Date {
    /// The date without its fraction of a second, which no payload has.
    fileprivate var wholeSeconds: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
    }
}
