import NIOCore

/// How many calls may be sent again when it is not known whether they were handled: a tenth of all calls, and three a
/// second in any case, so that a peer in trouble does not get more work for it.
struct RetryBudget {
    /// One for so many calls.
    static let calls = 10
    static let perSecond = 3

    /// What is saved up at the most.
    static let most = 100

    /// In calls made.
    private var saved = 0
    private var second: Int64 = 0
    private var usedInSecond = 0

    /// A call was made.
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
