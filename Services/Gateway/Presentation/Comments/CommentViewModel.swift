import Foundation

/// The texts of one comment.
public struct CommentViewModel: Equatable, Sendable {
    public let id: UUID
    public let message: String
    public let username: String
    /// When the comment was written, relative to now: "5 minutes ago".
    public let date: String
    public let createdAt: Date

    public init(id: UUID, message: String, username: String, date: String, createdAt: Date) {
        self.id = id
        self.message = message
        self.username = username
        self.date = date
        self.createdAt = createdAt
    }
}
