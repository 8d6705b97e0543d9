import Foundation

/// The times of comments that are posted without one.
public enum PostTime {
    /// How far the clock may be set back without a comment before earlier ones. After a longer step back the clock was wrong before:
    /// new comments have its present time.
    public static let longestStepBack: TimeInterval = 86_400

    /// - Parameter last: the time that the last such comment got; nil for the first.
    public static func time(at now: Date, last: Date?) -> Date {
        guard let last, last.timeIntervalSince(now) <= longestStepBack else { return now }
        return max(now, last)
    }
}
