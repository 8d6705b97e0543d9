import Foundation

/// A comment on an image.
public struct ImageComment: Equatable, Sendable {
    public let id: UUID
    public let imageID: UUID
    public let message: String

    /// Whole seconds.
    public let createdAt: Date

    public let username: String

    public init(id: UUID, imageID: UUID, message: String, createdAt: Date, username: String) {
        self.id = id
        self.imageID = imageID
        self.message = message
        self.createdAt = createdAt
        self.username = username
    }

    /// The size of its texts in UTF-8, in bytes.
    var textBytes: Int { message.utf8.count + username.utf8.count }
}
