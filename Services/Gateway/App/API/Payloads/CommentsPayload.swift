import CommentsContract
import RPC

/// The body of `GET /v1/image/{id}/comments`.
struct CommentsPayload: Sendable {
    let items: [Comment]

    static let shape = Shape<CommentsPayload>.object { object in
        let items = object.required("items", .array(of: Comment.shape), \.items)
        return { members throws(JSONError) in CommentsPayload(items: try members[items]) }
    }
}
