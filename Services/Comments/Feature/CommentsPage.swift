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
}
