import Foundation
import JSON
import RPC

/// Parameters of `feed.watch`.
public struct WatchFeed: Sendable, Equatable {
    /// Go on after the event with this `seq`.
    public let since: String?

    public init(since: String? = nil) { self.since = since }

    public static let codec = Codec<WatchFeed>.object { object in
        let since = object.optional(
            "since", .string, \.since, "Go on after the event with this seq; \"\" asks for one to begin with.")
        return { members throws(JSONError) in WatchFeed(since: try members[since]) }
    }
}

/// An item of the stream `feed.watch`: what one write has done to the feed.
public struct FeedEvent: Sendable, Equatable {
    /// Where a later watch goes on: after this event. It means nothing to anybody but the service.
    public let seq: String
    public let change: Change

    public enum Change: Sendable, Equatable {
        /// These are new on top, in feed order.
        case published([FeedItem])

        /// These are gone, in the order in which they stood.
        case removed([UUID])

        /// What has happened is not known: load the feed again. What follows is told from here on.
        case reset
    }

    public init(seq: String, change: Change) {
        self.seq = seq
        self.change = change
    }

    public static let codec = Codec<FeedEvent>.object { object in
        let seq = object.required("seq", .string, \.seq, "To go on from, as since; it has no other meaning.")
        let published = object.optional(
            "published", .array(of: FeedItem.codec), \.change.published, "New on top, in feed order.")
        let removed = object.optional(
            "removed", .array(of: .uuid), \.change.removed, "Gone, in the order in which they stood.")
        let reset = object.optional(
            "reset", .boolean, \.change.reset, "True: what has happened is not known; load the feed again.")
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
