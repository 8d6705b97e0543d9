import EdgeModel
import Foundation
import JSON
import RPC

/// Parameters of `feed.load`.
public struct LoadFeed: Sendable, Hashable {
    /// 1…100; default 10.
    public let limit: Int?

    /// Return the items after this one. Cannot be combined with `beforeID`.
    public let afterID: UUID?

    /// Return the items newer than this one, those nearest to it.
    public let beforeID: UUID?

    public init(limit: Int? = nil, afterID: UUID? = nil, beforeID: UUID? = nil) {
        self.limit = limit
        self.afterID = afterID
        self.beforeID = beforeID
    }

    public static let limits = 1...100
    public static let defaultLimit = 10

    public static let codec = Codec<LoadFeed>.object { object in
        let limit = object.optional("limit", .integer(limits), \.limit, "The maximum number of items; default 10.")
        let afterID = object.optional("after_id", .uuid, \.afterID, "Return the items after this one.")
        let beforeID = object.optional("before_id", .uuid, \.beforeID, "Return the items newer than this one.")
        return { members throws(JSONError) in
            let load = LoadFeed(
                limit: try members[limit], afterID: try members[afterID], beforeID: try members[beforeID])
            if load.afterID != nil, load.beforeID != nil {
                throw .mismatch(path: "before_id", reason: "cannot be combined with after_id")
            }
            return load
        }
    }
}

/// The answer of `feed.load`.
public struct LoadedFeed: Sendable, Equatable {
    /// Newest first.
    public let items: [FeedItem]

    /// The cursor of the next page; absent when this page is empty or known to be the last.
    public let nextAfterID: UUID?

    /// The cursor for items newer than this page; absent when the page is empty.
    public let prevBeforeID: UUID?

    public let origin: AnswerOrigin

    /// For `cache`: when the page was fetched. For `remote`: set only if the upstream answered from a cache.
    public let savedAt: Date?

    /// Problems that did not make the call fail.
    public let notices: [AnswerNotice]?

    public init(
        items: [FeedItem], nextAfterID: UUID?, prevBeforeID: UUID?, origin: AnswerOrigin, savedAt: Date? = nil,
        notices: [AnswerNotice]? = nil
    ) {
        self.items = items
        self.nextAfterID = nextAfterID
        self.prevBeforeID = prevBeforeID
        self.origin = origin
        self.savedAt = savedAt
        self.notices = notices
    }

    public static let codec = Codec<LoadedFeed>.object { object in
        let items = object.required("items", .array(of: FeedItem.codec), \.items)
        let next = object.optional("next_after_id", .uuid, \.nextAfterID, "Absent at the end of the feed.")
        let prev = object.optional("prev_before_id", .uuid, \.prevBeforeID)
        let origin = object.required("origin", .oneOf, \.origin)
        let savedAt = object.optional("saved_at", .date, \.savedAt, "When a cached page was fetched.")
        let notices = object.optional("notices", .array(of: .oneOf), \.notices)
        return { members throws(JSONError) in
            LoadedFeed(
                items: try members[items], nextAfterID: try members[next], prevBeforeID: try members[prev],
                origin: try members[origin], savedAt: try members[savedAt], notices: try members[notices])
        }
    }
}
