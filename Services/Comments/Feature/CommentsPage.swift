import Foundation

/// Consecutive comments of one image, oldest first, and where to go on from them.
public struct CommentsPage: Equatable, Sendable {
    public let items: [ImageComment]

    /// The cursor of the page after this one; nil when there is known to be none.
    public let nextAfterID: UUID?

    public init(_ slice: CommentsSlice) {
        items = slice.items
        nextAfterID = slice.hasMore ? slice.items.last?.id : nil
    }
}

/// What a store has at a cursor.
public struct CommentsSlice: Equatable, Sendable {
    /// In stored order, oldest first.
    public let items: [ImageComment]
    public let hasMore: Bool

    public init(items: [ImageComment], hasMore: Bool) {
        self.items = items
        self.hasMore = hasMore
    }

    /// What a whole list has at a cursor.
    /// - Throws: `CommentsStoreError.unknownCursor` when the cursor is none of its comments.
    public init(_ list: [ImageComment], _ limit: Int, after id: UUID?) throws(CommentsStoreError) {
        var rest = list[...]
        if let id {
            guard let index = list.firstIndex(where: { $0.id == id }) else { throw .unknownCursor(id) }
            rest = list[(index + 1)...]
        }
        self.init(items: Array(rest.prefix(limit)), hasMore: rest.count > limit)
    }
}
