import Foundation

/// Limits on the age and the size of an edge's cache of the feed.
public enum FeedCachePolicy {
    /// Seven days, in UTC seconds.
    public static let lifetime: TimeInterval = 604_800

    /// The maximum size of the cached items in bytes: their texts, and `overhead` for each item. The cache evicts the
    /// items first that the upstream has not shown for the longest time.
    public static let budget = 64 << 20

    /// The maximum size in bytes of a page from the cache, because the size of an RPC message is limited. A single
    /// larger item is a page of its own.
    public static let pageBytes = 1 << 20

    /// The maximum size of an upstream's answer in bytes.
    public static let answerBytes = 6_000_000

    /// The size that each item counts beside its texts, in bytes.
    public static let overhead = 256

    /// How far the clock may be set back, in seconds, before times of the cache count as wrong. Answers that arrive at the same
    /// time may be stored in another order.
    public static let longestStepBack: TimeInterval = 60

    /// Exactly seven days is expired; a timestamp in the future is valid.
    public static func isValid(savedAt: Date, at now: Date) -> Bool { now < savedAt.addingTimeInterval(lifetime) }
}
