import Foundation

/// The result of storing a page.
public struct KeptFeedPage: Equatable, Sendable {
    /// Items that appeared above what was cached before, in feed order.
    public let new: [FeedImage]

    /// Whether the feed is known to end with this page.
    public let isLast: Bool

    public init(new: [FeedImage], isLast: Bool) {
        self.new = new
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
