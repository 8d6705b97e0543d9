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
