import Foundation
import JSON
import RPC

/// Parameters of `comments.list`.
public struct ListComments: Sendable, Equatable {
    public let imageID: UUID

    /// 1…100.
    public let limit: Int?

    /// Go on after this comment.
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
        let limit = object.optional("limit", .integer(limits), \.limit, "How many comments at the most; default 100.")
        let afterID = object.optional("after_id", .uuid, \.afterID, "Go on after this comment.")
        return { members throws(JSONError) in
            ListComments(imageID: try members[imageID], limit: try members[limit], afterID: try members[afterID])
        }
    }
}

/// The answer of `comments.list`.
public struct ListedComments: Sendable, Equatable {
    /// Oldest first.
    public let items: [Comment]

    /// The cursor of the next page; absent when this one is empty or known to be the last.
    public let nextAfterID: UUID?

    public let origin: Origin

    /// When the list was new; absent for `store`, and for what the upstream has just made.
    public let savedAt: Date?

    /// Things that went wrong without the call having failed.
    public let notices: [Notice]?

    public init(
        items: [Comment], nextAfterID: UUID?, origin: Origin, savedAt: Date? = nil, notices: [Notice]? = nil
    ) {
        self.items = items
        self.nextAfterID = nextAfterID
        self.origin = origin
        self.savedAt = savedAt
        self.notices = notices
    }

    /// Who answered.
    public enum Origin: String, Sendable, CaseIterable {
        /// The authority itself.
        case store
        /// The upstream, just now; in the middle of a list, a few seconds ago.
        case remote
        /// What was kept, because the upstream did not answer.
        case cache
    }

    public enum Notice: String, Sendable, CaseIterable {
        /// The list could not be kept for later.
        case notKept = "not_kept"
    }

    public static let codec = Codec<ListedComments>.object { object in
        let items = object.required("items", .array(of: Comment.codec), \.items)
        let next = object.optional("next_after_id", .uuid, \.nextAfterID, "Absent at the end.")
        let origin = object.required("origin", .oneOf, \.origin)
        let savedAt = object.optional("saved_at", .date, \.savedAt, "When the list was new, if that is not now.")
        let notices = object.optional("notices", .array(of: .oneOf), \.notices)
        return { members throws(JSONError) in
            ListedComments(
                items: try members[items], nextAfterID: try members[next], origin: try members[origin],
                savedAt: try members[savedAt], notices: try members[notices])
        }
    }
}
