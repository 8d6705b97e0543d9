import EdgeModel
import Foundation
import JSON
import RPC

/// Parameters of `comments.list`.
public struct ListComments: Sendable, Equatable {
    public let imageID: UUID

    /// 1…100; default 100.
    public let limit: Int?

    /// Return the comments after this one.
    public let afterID: UUID?

    public init(imageID: UUID, limit: Int? = nil, afterID: UUID? = nil) {
        self.imageID = imageID
        self.limit = limit
        self.afterID = afterID
    }

    public static let limits = 1...100
    public static let defaultLimit = 100

    public static let codec = Codec<ListComments>.object { object in
        let imageID = object.required("image_id", .uuid, \.imageID)
        let limit = object.optional("limit", .integer(limits), \.limit, "The maximum number of comments; default 100.")
        let afterID = object.optional("after_id", .uuid, \.afterID, "Return the comments after this one.")
        return { members throws(JSONError) in
            ListComments(imageID: try members[imageID], limit: try members[limit], afterID: try members[afterID])
        }
    }
}

/// The answer of `comments.list`.
public struct ListedComments: Sendable, Equatable {
    /// Oldest first.
    public let items: [Comment]

    /// The cursor of the next page; absent when this page is empty or known to be the last.
    public let nextAfterID: UUID?

    public let origin: AnswerOrigin

    /// When the list was generated. Absent for `store`, and for an answer that the upstream has just generated.
    public let savedAt: Date?

    /// Problems that did not make the call fail.
    public let notices: [AnswerNotice]?

    public init(
        items: [Comment], nextAfterID: UUID?, origin: AnswerOrigin, savedAt: Date? = nil, notices: [AnswerNotice]? = nil
    ) {
        self.items = items
        self.nextAfterID = nextAfterID
        self.origin = origin
        self.savedAt = savedAt
        self.notices = notices
    }

    public static let codec = Codec<ListedComments>.object { object in
        let items = object.required("items", .array(of: Comment.codec), \.items)
        let next = object.optional("next_after_id", .uuid, \.nextAfterID, "Absent at the end.")
        let origin = object.required("origin", .oneOf, \.origin)
        let savedAt = object.optional("saved_at", .date, \.savedAt, "When the list was generated, if that is not now.")
        let notices = object.optional("notices", .array(of: .oneOf), \.notices)
        return { members throws(JSONError) in
            ListedComments(
                items: try members[items], nextAfterID: try members[next], origin: try members[origin],
                savedAt: try members[savedAt], notices: try members[notices])
        }
    }
}
