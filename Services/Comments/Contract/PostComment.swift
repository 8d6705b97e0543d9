import Foundation
import JSON
import RPC

/// Parameters of `comments.post`.
public struct PostComment: Sendable, Equatable {
    public let imageID: UUID

    /// 1…2,000 Unicode scalars.
    public let message: String

    /// 1…64 Unicode scalars.
    public let username: String

    /// Set by a client that may have to repeat the call; by default the service generates it.
    public let id: UUID?

    /// When the comment was written; the list is sorted by this time. Set when importing older comments. Default: the
    /// service's current time.
    public let createdAt: Date?

    public init(imageID: UUID, message: String, username: String, id: UUID? = nil, createdAt: Date? = nil) {
        self.imageID = imageID
        self.message = message
        self.username = username
        self.id = id
        self.createdAt = createdAt
    }

    public static let messageLength = 1...2_000
    public static let usernameLength = 1...64

    public static let codec = Codec<PostComment>.object { object in
        let imageID = object.required("image_id", .uuid, \.imageID)
        let message = object.required("message", .trimmed(messageLength), \.message)
        let username = object.required("username", .trimmed(usernameLength), \.username)
        let id = object.optional("id", .uuid, \.id, "Makes the call repeatable.")
        let createdAt = object.optional("created_at", .date, \.createdAt, "For imports; default: now.")
        return { members throws(JSONError) in
            PostComment(
                imageID: try members[imageID], message: try members[message], username: try members[username],
                id: try members[id], createdAt: try members[createdAt])
        }
    }
}
