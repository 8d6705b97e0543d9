import Foundation
import JSON
import RPC

/// Parameters of `comments.watch`.
public struct WatchComments: Sendable, Equatable {
    /// Resume after the event with this `seq`.
    public let since: String?

    public init(since: String? = nil) { self.since = since }

    public static let codec = Codec<WatchComments>.object { object in
        let since = object.optional(
            "since", .string, \.since, "Resume after the event with this seq; \"\" asks for a reset first.")
        return { members throws(JSONError) in WatchComments(since: try members[since]) }
    }
}

/// A comment in an event, with the image that it belongs to.
public struct WatchedComment: Sendable, Equatable {
    public let imageID: UUID
    public let comment: Comment

    public init(imageID: UUID, comment: Comment) {
        self.imageID = imageID
        self.comment = comment
    }

    public static let codec = Codec<WatchedComment>.object { object in
        let imageID = object.required("image_id", .uuid, \.imageID)
        let comment = object.required("comment", Comment.codec, \.comment)
        return { members throws(JSONError) in
            WatchedComment(imageID: try members[imageID], comment: try members[comment])
        }
    }
}

/// An event of the stream `comments.watch`: the effect of one write.
public struct CommentsEvent: Sendable, Equatable {
    /// Pass it as `since` to resume after this event. Only the service can interpret it.
    public let seq: String
    public let change: Change

    public enum Change: Sendable, Equatable {
        /// New comments. On an edge: the comments of a fetched list that its cache did not have.
        case posted([WatchedComment])

        /// The ids of removed comments.
        case removed([UUID])

        /// Events are missing: list the comments again. The events after this one are complete.
        case reset
    }

    public init(seq: String, change: Change) {
        self.seq = seq
        self.change = change
    }

    public static let codec = Codec<CommentsEvent>.object { object in
        let seq = object.required(
            "seq", .string, \.seq, "Pass it as since to resume after this event; it has no other meaning.")
        let posted = object.optional("posted", .array(of: WatchedComment.codec), \.change.posted, "New comments.")
        let removed = object.optional("removed", .array(of: .uuid), \.change.removed, "The ids of removed comments.")
        let reset = object.optional(
            "reset", .boolean, \.change.reset, "True: events are missing; list the comments again.")
        return { members throws(JSONError) in
            let changes = [
                try members[posted].map(Change.posted), try members[removed].map(Change.removed),
                try members[reset] == true ? .reset : nil,
            ].compactMap(\.self)
            guard let change = changes.first, changes.count == 1 else {
                throw .refused("must have one of posted, removed and reset")
            }
            return CommentsEvent(seq: try members[seq], change: change)
        }
    }
}

extension CommentsEvent.Change {
    fileprivate var posted: [WatchedComment]? {
        if case .posted(let comments) = self { comments } else { nil }
    }

    fileprivate var removed: [UUID]? {
        if case .removed(let ids) = self { ids } else { nil }
    }

    fileprivate var reset: Bool? { self == .reset ? true : nil }
}
