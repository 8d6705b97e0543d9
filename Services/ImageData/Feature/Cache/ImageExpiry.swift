import Foundation

/// When kept bytes are too old to be served without asking the origin.
public enum ImageExpiry {
    /// How many seconds bytes are good for unless the operator or the caller says otherwise: a week.
    public static let defaultTimeToLive = 7 * 86_400

    /// The first moment at which bytes are expired.
    public static func date(storedAt: Date, timeToLive: Int) -> Date {
        storedAt.addingTimeInterval(Double(timeToLive))
    }

    /// Bytes are good for exactly their time to live; what was stored in the future, by a clock that was wrong, is good.
    public static func isExpired(storedAt: Date, timeToLive: Int, now: Date) -> Bool {
        now >= date(storedAt: storedAt, timeToLive: timeToLive)
    }
}
