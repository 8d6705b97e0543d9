import Foundation

/// Consecutive comments of one image in listed order, and the cursor of the next page.
public struct CommentsPage: Equatable, Sendable {
    public let items: [ImageComment]

    /// The cursor of the page after this one; nil when no comments are known to follow.
    public let nextAfterID: UUID?

    /// The maximum size of the texts of a page with several comments, in bytes. 100 comments of the maximum length fit
    /// into it. An upstream's texts have no length limit, and a page must fit into one message.
    public static let maximumBytes = 1_048_576

    public init(_ slice: CommentsSlice) {
        items = Array(slice.items[...].fitting)
        nextAfterID = slice.hasMore || items.count < slice.items.count ? items.last?.id : nil
    }
}

extension ArraySlice<ImageComment> {
    /// The first ones, as many as fit into a page. A comment that is larger than the limit is a page of its own.
    public var fitting: ArraySlice {
        var bytes = 0
        let fitting = prefix { comment in
            bytes += comment.textBytes
            return bytes <= CommentsPage.maximumBytes
        }
        return prefix(Swift.max(1, fitting.count))
    }
}

/// The comments of a store at a cursor.
public struct CommentsSlice: Equatable, Sendable {
    /// In listed order.
    public let items: [ImageComment]
    public let hasMore: Bool

    public init(items: [ImageComment], hasMore: Bool) {
        self.items = items
        self.hasMore = hasMore
    }

    /// The comments of a whole list at a cursor.
    /// - Throws: `CommentsStoreError.unknownCursor` when the list does not contain the cursor.
    public init(_ list: [ImageComment], _ limit: Int, after id: UUID?) throws(CommentsStoreError) {
        var rest = list[...]
        if let id {
            guard let index = list.firstIndex(where: { $0.id == id }) else { throw .unknownCursor(id) }
            rest = list[(index + 1)...]
        }
        self.init(items: Array(rest.prefix(limit)), hasMore: rest.count > limit)
    }
}
