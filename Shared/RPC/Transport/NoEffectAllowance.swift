/// How many messages without an effect a peer may still send. Some are late: they were sent before the peer knew that what they are
/// about has ended. Without a limit, a flood of others would occupy the loop.
struct NoEffectAllowance {
    private var left = Limits.framesWithoutEffect

    /// Allows one more: this side has sent or received something that explains it.
    mutating func explain(_ count: Int = 1) { left += count }

    /// Takes one.
    /// - Throws: `tooManyWithoutEffect` when none is left.
    mutating func take() throws(FrameViolation) {
        guard left > 0 else { throw .tooManyWithoutEffect }
        left -= 1
    }
}
