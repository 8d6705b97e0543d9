import Foundation

/// What became of a page.
public struct KeptFeedPage: Equatable, Sendable {
    /// What the cache did not have before, in feed order.
    public let new: [FeedImage]

    /// Whether nothing is known to follow.
    public let isLast: Bool

    public init(new: [FeedImage], isLast: Bool) {
        self.new = new
        self.isLast = isLast
    }
}

/// A page out of the cache.
public struct CachedFeedPage: Equatable, Sendable {
    public let items: [FeedImage]

    /// Whether nothing is known to follow.
    public let isLast: Bool
    public let savedAt: Date

    public init(items: [FeedImage], isLast: Bool, savedAt: Date) {
        self.items = items
        self.isLast = isLast
        self.savedAt = savedAt
    }
}
