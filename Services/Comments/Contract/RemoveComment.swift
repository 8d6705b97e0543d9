import Foundation
import JSON
import RPC

/// Parameters of `comments.remove`.
public struct CommentSelection: Sendable, Equatable {
    public let id: UUID

    public init(id: UUID) { self.id = id }

    public static let codec = Codec<CommentSelection>.object { object in
        let id = object.required("id", .uuid, \.id)
        return { members throws(JSONError) in CommentSelection(id: try members[id]) }
    }
}
