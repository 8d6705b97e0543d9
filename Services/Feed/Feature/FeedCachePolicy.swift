import Foundation

/// How long, and how much of, an upstream's feed is cached.
public enum FeedCachePolicy {
    /// Seven days, in UTC seconds.
    public static let lifetime: TimeInterval = 604_800

    /// The most bytes of items in a cache: their texts and `overhead` for each. The items that the upstream has not shown
    /// for the longest time are evicted first.
    public static let budget = 64 << 20

    /// The most bytes of items in one answer from the cache, unless a single item has more: an RPC message is limited.
    public static let pageBytes = 1 << 20

    /// The most bytes of an upstream's answer.
    public static let answerBytes = 6_000_000

    /// What an item costs besides its texts, in bytes.
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

    /// Larger values mean the same (RFC 9111, 1.2.2).
    private static let longestAge = 1 << 31
}
