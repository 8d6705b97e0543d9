import Foundation
import JSON
import RPC

/// Parameters of `feed.watch`.
public struct WatchFeed: Sendable, Equatable {
    /// Resume after the event with this `seq`.
    public let since: String?

    public init(since: String? = nil) { self.since = since }

    public static let codec = Codec<WatchFeed>.object { object in
        let since = object.optional(
            "since", .string, \.since, "Resume after the event with this seq; \"\" asks for a reset first.")
        return { members throws(JSONError) in WatchFeed(since: try members[since]) }
    }
}

/// An event of the stream `feed.watch`: the effect of one write.
public struct FeedEvent: Sendable, Equatable {
    /// Pass it as `since` to resume after this event. Only the service can interpret it.
    public let seq: String
    public let change: Change

    public enum Change: Sendable, Equatable {
        /// New items at the top, in feed order.
        case published([FeedItem])

        /// Removed items, in feed order.
        case removed([UUID])

        /// Items of an edge's upstream that a reader has reached. They are in its feed and are not new there.
        case found([FeedItem])

        /// Items that an edge does not have any more. Its upstream may still have them.
        case forgotten([UUID])

        /// Events are missing: load the feed again. The events after this one are complete.
        case reset
    }

    public init(seq: String, change: Change) {
        self.seq = seq
        self.change = change
    }

    public static let codec = Codec<FeedEvent>.object { object in
        let seq = object.required(
            "seq", .string, \.seq, "Pass it as since to resume after this event; it has no other meaning.")
        let published = object.optional(
            "published", .array(of: FeedItem.codec), \.change.published, "New items at the top, in feed order.")
        let removed = object.optional(
            "removed", .array(of: .uuid), \.change.removed, "The ids of removed items, in feed order.")
        let found = object.optional(
            "found", .array(of: FeedItem.codec), \.change.found,
            "Only of an edge: items that a reader has reached, which are not new at the upstream.")
        let forgotten = object.optional(
            "forgotten", .array(of: .uuid), \.change.forgotten,
            "Only of an edge: the ids of items that it does not have any more. The upstream may have them.")
        let reset = object.optional(
            "reset", .boolean, \.change.reset, "True: events are missing; load the feed again.")
        return { members throws(JSONError) in
            let changes = [
                try members[published].map(Change.published), try members[removed].map(Change.removed),
                try members[found].map(Change.found), try members[forgotten].map(Change.forgotten),
                try members[reset] == true ? .reset : nil,
            ].compactMap(\.self)
            guard let change = changes.first, changes.count == 1 else {
                throw .refused("must have one of published, removed, found, forgotten and reset")
            }
            return FeedEvent(seq: try members[seq], change: change)
        }
    }
}

extension FeedEvent.Change {
    fileprivate var published: [FeedItem]? {
        if case .published(let items) = self { items } else { nil }
    }

    fileprivate var removed: [UUID]? {
        if case .removed(let ids) = self { ids } else { nil }
    }

    fileprivate var found: [FeedItem]? {
        if case .found(let items) = self { items } else { nil }
    }

    fileprivate var forgotten: [UUID]? {
        if case .forgotten(let ids) = self { ids } else { nil }
    }

    /// Whether it is about what an edge has of its upstream's feed, and not about the feed.
    public var isOfCache: Bool {
        switch self {
        case .found, .forgotten: true
        case .published, .removed, .reset: false
        }
    }

    fileprivate var reset: Bool? { self == .reset ? true : nil }
}
