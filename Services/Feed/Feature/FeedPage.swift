import Foundation

/// Consecutive items of the feed, newest first, and the cursors of the adjacent pages.
public struct FeedPage: Equatable, Sendable {
    public let items: [FeedImage]

    /// The cursor of the page after this one; nil when no items are known to follow.
    public let nextAfterID: UUID?

    /// The cursor of the page before this one; nil only when this page is empty.
    public let prevBeforeID: UUID?

    public init(_ slice: FeedSlice, at cursor: FeedCursor) {
        items = slice.items
        // Reading backwards, items always follow the page: the cursor's own.
        let isKnownToBeLast = if case .before = cursor { false } else { !slice.hasMore }
        nextAfterID = isKnownToBeLast ? nil : slice.items.last?.id
        prevBeforeID = slice.items.first?.id
    }
}

/// The items of a store at a cursor.
public struct FeedSlice: Equatable, Sendable {
    /// In feed order.
    public let items: [FeedImage]

    /// Whether more items follow in the direction of reading.
    public let hasMore: Bool

    public init(items: [FeedImage], hasMore: Bool) {
        self.items = items
        self.hasMore = hasMore
    }
}
