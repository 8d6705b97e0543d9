import CommentsContract
import FeedContract
import Foundation
import JSON
import RPC

/// An event of a service that clients of the HTTP API see, too.
protocol PublicEvent: Sendable {
    /// Where clients read them.
    static var path: String { get }

    /// The method that streams them.
    static var method: String { get }

    /// Streams the events after `since`; an empty one asks for a reset first.
    static func watch<Result: Sendable>(
        _ registry: PluginRegistry, since: String, _ options: CallOptions,
        _ body: (ItemStream<Self>) async throws -> Result
    ) async throws -> Result

    var seq: String { get }

    /// Whether events are missing before this one.
    var isReset: Bool { get }

    /// The name of the server-sent event, and its data; nil for an event that clients do not see.
    func named(_ publicURL: PublicURL) -> (name: String, data: RawJSON)?

    /// An event that makes a client load everything again.
    static func reset(_ seq: String) -> Self
}

extension FeedEvent: PublicEvent {
    static let path = "/v1/feed/events"
    static let method = FeedContract.watch.name

    static func watch<Result: Sendable>(
        _ registry: PluginRegistry, since: String, _ options: CallOptions,
        _ body: (ItemStream<FeedEvent>) async throws -> Result
    ) async throws -> Result {
        try await registry.plugin("feed").withStream(FeedContract.watch, WatchFeed(since: since), options, body)
    }

    var isReset: Bool { change == .reset }

    func named(_ publicURL: PublicURL) -> (name: String, data: RawJSON)? {
        switch change {
        case .published(let items):
            let payload = FeedPayload(items: items.map { EnrichedItem(item: publicURL.localized($0)) })
            return ("published", RawJSON(payload, as: FeedPayload.codec))
        case .removed(let ids): return ("removed", RawJSON(RemovedIDs(ids: ids), as: RemovedIDs.codec))
        case .reset: return ("reset", .emptyObject)
        case .found, .forgotten: return nil
        }
    }

    static func reset(_ seq: String) -> FeedEvent { FeedEvent(seq: seq, change: .reset) }
}

extension CommentsEvent: PublicEvent {
    static let path = "/v1/comments/events"
    static let method = CommentsContract.watch.name

    static func watch<Result: Sendable>(
        _ registry: PluginRegistry, since: String, _ options: CallOptions,
        _ body: (ItemStream<CommentsEvent>) async throws -> Result
    ) async throws -> Result {
        try await registry.plugin("comments").withStream(
            CommentsContract.watch, WatchComments(since: since), options, body)
    }

    var isReset: Bool { change == .reset }

    func named(_ publicURL: PublicURL) -> (name: String, data: RawJSON)? {
        switch change {
        case .posted(let comments):
            ("posted", RawJSON(PostedComments(items: comments), as: PostedComments.codec))
        case .removed(let ids): ("removed", RawJSON(RemovedIDs(ids: ids), as: RemovedIDs.codec))
        case .reset: ("reset", .emptyObject)
        }
    }

    static func reset(_ seq: String) -> CommentsEvent { CommentsEvent(seq: seq, change: .reset) }
}

/// The data of the event `removed`.
private struct RemovedIDs: Sendable {
    let ids: [UUID]

    static let codec = Codec<RemovedIDs>.object { object in
        let ids = object.required("ids", .array(of: .uuid), \.ids)
        return { members throws(JSONError) in RemovedIDs(ids: try members[ids]) }
    }
}

/// The data of the event `posted`.
private struct PostedComments: Sendable {
    let items: [WatchedComment]

    static let codec = Codec<PostedComments>.object { object in
        let items = object.required("items", .array(of: WatchedComment.codec), \.items)
        return { members throws(JSONError) in PostedComments(items: try members[items]) }
    }
}
