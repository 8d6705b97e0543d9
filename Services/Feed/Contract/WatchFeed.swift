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
        let reset = object.optional(
            "reset", .boolean, \.change.reset, "True: events are missing; load the feed again.")
        return { members throws(JSONError) in
            let changes = [
                try members[published].map(Change.published), try members[removed].map(Change.removed),
                try members[reset] == true ? .reset : nil,
            ].compactMap(\.self)
            guard let change = changes.first, changes.count == 1 else {
                throw .refused("must have one of published, removed and reset")
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

    fileprivate var reset: Bool? { self == .reset ? true : nil }
}
