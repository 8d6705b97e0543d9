import Foundation

/// How long what was kept may stand in for the upstream.
public enum FeedCachePolicy {
    /// Seven days, in UTC seconds.
    public static let lifetime: TimeInterval = 604_800

    /// Exactly seven days is expired; a clock that was set back makes nothing invalid.
    public static func isValid(savedAt: Date, at now: Date) -> Bool { now < savedAt.addingTimeInterval(lifetime) }

    /// When a page was really fetched that an upstream has kept for a while.
    /// - Parameter age: the `Age` header (RFC 9111); what is none is nothing.
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

    /// What is larger would be the same to everybody (RFC 9111, 1.2.2).
    private static let longestAge = 1 << 31
}
