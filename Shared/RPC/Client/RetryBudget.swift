import NIOCore

/// Limits retries that might burden a peer in trouble: a tenth of all calls, and at least three a second.
struct RetryBudget {
    /// How many calls earn one retry.
    static let calls = 10
    static let perSecond = 3

    /// The maximum number of unused retries that accumulate.
    static let most = 100

    /// Saved retries, counted in calls.
    private var saved = 0
    private var second: Int64 = 0
    private var usedInSecond = 0

    /// Records a new call.
    mutating func earn() { saved = min(saved + 1, Self.most * Self.calls) }

    /// - Returns: whether one more call may be sent again.
    mutating func take(now: NIODeadline) -> Bool {
        let second = Int64(now.uptimeNanoseconds / 1_000_000_000)
        if second != self.second { (self.second, usedInSecond) = (second, 0) }
        if usedInSecond < Self.perSecond {
            usedInSecond += 1
            return true
        }
        guard saved >= Self.calls else { return false }
        saved -= Self.calls
        return true
    }
}
