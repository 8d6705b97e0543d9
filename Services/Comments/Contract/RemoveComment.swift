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

/// How many comments were removed.
public struct Count: Sendable, Equatable {
    public let count: Int

    public init(count: Int) { self.count = count }

    public static let codec = Codec<Count>.object { object in
        let count = object.required("count", .integer(0 ... .max), \.count)
        return { members throws(JSONError) in Count(count: try members[count]) }
    }
}
