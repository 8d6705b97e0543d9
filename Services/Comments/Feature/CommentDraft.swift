import Foundation

/// A comment on its way into a store.
public struct CommentDraft: Equatable, Sendable {
    public let id: UUID
    public let imageID: UUID
    public let message: String
    public let username: String

    /// When it was written; nil for now.
    public let createdAt: Date?

    public init(id: UUID, imageID: UUID, message: String, username: String, createdAt: Date? = nil) {
        self.id = id
        self.imageID = imageID
        self.message = message
        self.username = username
        self.createdAt = createdAt?.wholeSeconds
    }

    /// The comment that this becomes when it is posted at `now`.
    public func comment(now: Date) -> ImageComment {
        ImageComment(
            id: id, imageID: imageID, message: message, createdAt: createdAt ?? now.wholeSeconds, username: username)
    }

    /// Whether posting this again asks for what is there: who leaves the time to the service cannot know it.
    public func isRepeat(of comment: ImageComment) -> Bool {
        self.comment(now: createdAt ?? comment.createdAt) == comment
    }
}

extension Date {
    /// Without the fraction of a second, which no payload carries.
    fileprivate var wholeSeconds: Date {
        Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down))
    }
}
