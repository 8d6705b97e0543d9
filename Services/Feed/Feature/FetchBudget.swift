import Foundation

/// How long an upstream may take, so that its caller's time is not over before the fallback is served.
public enum FetchBudget {
    /// Nobody waits longer than this for what may be kept already.
    public static let most = Duration.seconds(10)

    /// What is left for the fallback, where the caller has that much.
    public static let reserve = Duration.milliseconds(500)

    /// A quarter of a short time is left.
    public static func time(of remaining: Duration) -> Duration {
        max(.zero, min(most, max(remaining - reserve, remaining * 3 / 4)))
    }
}
