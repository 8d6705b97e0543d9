import Foundation

/// Decides when cached bytes are too old to be served without asking the origin server.
public enum ImageExpiry {
    /// The default time to live in seconds: a week.
    public static let defaultTimeToLive = 7 * 86_400

    /// The first moment at which the bytes are expired. Bytes with a time of storage in the future have expired: the clock was set back,
    /// so their age is not known.
    public static func date(storedAt: Date, timeToLive: Int, now: Date) -> Date {
        storedAt > now ? now : storedAt.addingTimeInterval(Double(timeToLive))
    }

    public static func isExpired(storedAt: Date, timeToLive: Int, now: Date) -> Bool {
        now >= date(storedAt: storedAt, timeToLive: timeToLive, now: now)
    }
}
