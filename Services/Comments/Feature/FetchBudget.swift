/// How long an upstream is waited for, so that there is time left for what is kept.
public enum FetchBudget {
    /// The longest: nobody wants to wait longer for what may be on the disk.
    public static let longest = Duration.seconds(10)

    /// The least that says something about the upstream, rather than about the caller.
    public static let fair = Duration.seconds(1)

    /// Three quarters of the time that the caller has left.
    public static func time(within remaining: Duration) -> Duration {
        max(.zero, min(remaining - remaining / 4, longest))
    }

    /// Whether an upstream that has not answered in this time is to blame.
    public static func isFair(_ time: Duration) -> Bool { time >= fair }
}
