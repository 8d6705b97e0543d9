import Foundation
import JSON
import RPC

/// A comment as the API transfers it. The member names are those of the HTTP API.
public struct Comment: Sendable, Equatable {
    public let id: UUID
    public let message: String
    public let createdAt: Date
    public let author: Author

    public init(id: UUID, message: String, createdAt: Date, author: Author) {
        self.id = id
        self.message = message
        self.createdAt = createdAt
        self.author = author
    }

    /// The author of a comment.
    public struct Author: Sendable, Equatable {
        public let username: String

        public init(username: String) { self.username = username }

        public static let codec = Codec<Author>.object { object in
            let username = object.required("username", .string, \.username)
            return { members throws(JSONError) in Author(username: try members[username]) }
        }
    }

    public static let codec = Codec<Comment>.object { object in
        let id = object.required("id", .uuid, \.id)
        let message = object.required("message", .string, \.message)
        let createdAt = object.required("created_at", .date, \.createdAt)
        let author = object.required("author", Author.codec, \.author)
        return { members throws(JSONError) in
            Comment(
                id: try members[id], message: try members[message], createdAt: try members[createdAt],
                author: try members[author])
        }
    }
}
