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
        // When reading backwards, the cursor's item always follows the page, so the page is never the last.
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
