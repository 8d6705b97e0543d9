import Foundation
import JSON
import RPC

/// The answer of `comments.lists`.
public struct CommentLists: Sendable, Equatable {
    /// In the order of the call. Only an edge omits images: those whose comments it has not fetched yet.
    public let lists: [CommentList]

    /// The images for which the answer had no room: call again with them. Nil when there are none.
    public let rest: [UUID]?

    public init(lists: [CommentList], rest: [UUID]?) {
        self.lists = lists
        self.rest = rest
    }

    public static let codec = Codec<CommentLists>.object { object in
        let lists = object.required("lists", .array(of: CommentList.codec), \.lists, "In the order of the call.")
        let rest = object.optional(
            "rest", .array(of: .uuid), \.rest, "The images for which this answer had no room: call again with them.")
        return { members throws(JSONError) in CommentLists(lists: try members[lists], rest: try members[rest]) }
    }
}

/// The first page of the comments of one image.
public struct CommentList: Sendable, Equatable {
    public let imageID: UUID

    /// At most 100, oldest first.
    public let items: [Comment]

    /// The cursor of the next page, for `comments.list`; absent when this page is empty or known to be the last.
    public let nextAfterID: UUID?

    public init(imageID: UUID, items: [Comment], nextAfterID: UUID?) {
        self.imageID = imageID
        self.items = items
        self.nextAfterID = nextAfterID
    }

    public static let codec = Codec<CommentList>.object { object in
        let imageID = object.required("image_id", .uuid, \.imageID)
        let items = object.required("items", .array(of: Comment.codec), \.items)
        let next = object.optional(
            "next_after_id", .uuid, \.nextAfterID, "The cursor of the next page, for comments.list; absent at the end.")
        return { members throws(JSONError) in
            CommentList(imageID: try members[imageID], items: try members[items], nextAfterID: try members[next])
        }
    }
}
