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

    /// Exactly seven days is expired; a timestamp in the future is valid.
    public static func isValid(savedAt: Date, at now: Date) -> Bool { now < savedAt.addingTimeInterval(lifetime) }

    /// When the upstream's own cache fetched a page.
    /// - Parameter age: the `Age` header (RFC 9111). An invalid value counts as 0.
    public static func savedAt(_ now: Date, age: String?) -> Date {
        now.addingTimeInterval(-TimeInterval(seconds(age)))
    }

    /// The seconds of an `Age` header.
    public static func seconds(_ age: String?) -> Int {
        guard let text = age?.trimmingCharacters(in: .whitespaces), !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return 0 }
        return min(Int(text) ?? .max, longestAge)
    }

    /// The longest age; larger values mean the same (RFC 9111, 1.2.2).
    private static let longestAge = 1 << 31
}
