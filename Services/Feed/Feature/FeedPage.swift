import Foundation

/// Consecutive items of the feed, newest first, and where to go on from them.
public struct FeedPage: Equatable, Sendable {
    public let items: [FeedImage]

    /// The cursor of the page after this one; nil when there is known to be none.
    public let nextAfterID: UUID?

    /// The cursor of the page before this one; nil only when this one is empty.
    public let prevBeforeID: UUID?

    public init(_ slice: FeedSlice, at cursor: FeedCursor) {
        items = slice.items
        // Reading backwards, what follows the page is what the reader came from.
        let isKnownToBeLast = if case .before = cursor { false } else { !slice.hasMore }
        nextAfterID = isKnownToBeLast ? nil : slice.items.last?.id
        prevBeforeID = slice.items.first?.id
    }
}

/// What a store has at a cursor.
public struct FeedSlice: Equatable, Sendable {
    /// In feed order.
    public let items: [FeedImage]

    /// Whether more follow in the direction of reading.
    public let hasMore: Bool

    public init(items: [FeedImage], hasMore: Bool) {
        self.items = items
        self.hasMore = hasMore
    }
}
