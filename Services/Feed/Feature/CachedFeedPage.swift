import Foundation

/// The result of storing a page.
public struct FeedCacheChange: Equatable, Sendable {
    /// New items above those that were cached before, in feed order.
    public let new: [FeedImage]

    /// Items that the upstream no longer has.
    public let removed: [UUID]

    /// Items that were not cached, and are not new at the upstream as far as is known; items that were cached with another content.
    public let found: [FeedImage]

    /// Items that were evicted.
    public let evicted: [UUID]

    /// Whether the feed is known to end with this page.
    public let isLast: Bool

    public init(
        new: [FeedImage], removed: [UUID] = [], found: [FeedImage] = [], evicted: [UUID] = [], isLast: Bool
    ) {
        self.new = new
        self.removed = removed
        self.found = found
        self.evicted = evicted
        self.isLast = isLast
    }
}

/// A page from the cache.
public struct CachedFeedPage: Equatable, Sendable {
    public let items: [FeedImage]

    /// Whether the feed is known to end with this page.
    public let isLast: Bool

    /// When the upstream last showed the page's oldest item.
    public let savedAt: Date

    public init(items: [FeedImage], isLast: Bool, savedAt: Date) {
        self.items = items
        self.isLast = isLast
        self.savedAt = savedAt
    }
}
