import CommentsContract
import FeedContract
import JSON
import RPC

/// The body of `GET /v1/feed`.
struct FeedPayload: Sendable {
    let items: [FeedItem]

    static let codec = Codec<FeedPayload>.object { object in
        let items = object.required("items", .array(of: FeedItem.codec), \.items)
        return { members throws(JSONError) in FeedPayload(items: try members[items]) }
    }
}

/// The body of `GET /v1/image/{id}/comments`, as `CommentsWriter` writes it.
struct CommentsPayload: Sendable {
    let items: [Comment]

    static let codec = Codec<CommentsPayload>.object { object in
        let items = object.required("items", .array(of: Comment.codec), \.items)
        return { members throws(JSONError) in CommentsPayload(items: try members[items]) }
    }
}
