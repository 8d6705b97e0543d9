import Foundation
import JSON
import RPC

/// Parameters of `feed.load`.
public struct LoadFeed: Sendable, Equatable {
    /// 1…100.
    public let limit: Int?

    /// Go on after this item; not together with `beforeID`.
    public let afterID: UUID?

    /// The items that are newer than this one, nearest to it.
    public let beforeID: UUID?

    public init(limit: Int? = nil, afterID: UUID? = nil, beforeID: UUID? = nil) {
        self.limit = limit
        self.afterID = afterID
        self.beforeID = beforeID
    }

    public static let limits = 1...100
    public static let defaultLimit = 10

    public static let codec = Codec<LoadFeed>.object { object in
        let limit = object.optional("limit", .integer(limits), \.limit, "How many items at the most; default 10.")
        let afterID = object.optional("after_id", .uuid, \.afterID, "Go on after this item.")
        let beforeID = object.optional("before_id", .uuid, \.beforeID, "What is newer than this item.")
        return { members throws(JSONError) in
            let load = LoadFeed(
                limit: try members[limit], afterID: try members[afterID], beforeID: try members[beforeID])
            if load.afterID != nil, load.beforeID != nil {
                throw .mismatch(path: "before_id", reason: "cannot stand together with after_id")
            }
            return load
        }
    }
}

/// The answer of `feed.load`.
public struct LoadedFeed: Sendable, Equatable {
    /// Newest first.
    public let items: [FeedItem]

    /// The cursor of the next page; absent when this one is empty or known to be the last.
    public let nextAfterID: UUID?

    /// The cursor for what is newer than this page; absent when it is empty.
    public let prevBeforeID: UUID?

    public let origin: Origin

    /// For `cache`: when the page was fetched. For `remote`: only where the upstream has kept it for a while itself.
    public let savedAt: Date?

    /// Things that went wrong without the load having failed.
    public let notices: [Notice]?

    public init(
        items: [FeedItem], nextAfterID: UUID?, prevBeforeID: UUID?, origin: Origin, savedAt: Date? = nil,
        notices: [Notice]? = nil
    ) {
        self.items = items
        self.nextAfterID = nextAfterID
        self.prevBeforeID = prevBeforeID
        self.origin = origin
        self.savedAt = savedAt
        self.notices = notices
    }

    /// Who answered.
    public enum Origin: String, Sendable, CaseIterable {
        /// The authority itself.
        case store
        /// The upstream, just now.
        case remote
        /// What was kept, because the upstream did not answer.
        case cache
    }

    public enum Notice: String, Sendable, CaseIterable {
        /// The page could not be kept for later.
        case notKept = "not_kept"
    }

    public static let codec = Codec<LoadedFeed>.object { object in
        let items = object.required("items", .array(of: FeedItem.codec), \.items)
        let next = object.optional("next_after_id", .uuid, \.nextAfterID, "Absent at the end of the feed.")
        let prev = object.optional("prev_before_id", .uuid, \.prevBeforeID)
        let origin = object.required("origin", .oneOf, \.origin)
        let savedAt = object.optional("saved_at", .date, \.savedAt, "How old a cached page is.")
        let notices = object.optional("notices", .array(of: .oneOf), \.notices)
        return { members throws(JSONError) in
            LoadedFeed(
                items: try members[items], nextAfterID: try members[next], prevBeforeID: try members[prev],
                origin: try members[origin], savedAt: try members[savedAt], notices: try members[notices])
        }
    }
}
