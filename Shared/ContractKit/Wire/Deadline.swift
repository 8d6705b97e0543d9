/// The end of a step's time. Every wait for an implementation has one.
struct Deadline {
    let time: Duration
    private let end: ContinuousClock.Instant
    private let cancellation: Cancellation?

    /// - Parameter cancellation: ends the time early; nil for a time that only the clock ends.
    init(_ time: Duration, _ cancellation: Cancellation? = nil) {
        (self.time, self.cancellation) = (time, cancellation)
        end = .now + time
    }

    var left: Duration { cancellation?.isCancelled == true ? .zero : max(.zero, end - .now) }

    var isOver: Bool { left == .zero }

    /// How long a wait may last until it looks whether it was cancelled.
    private static let pause: Duration = .milliseconds(100)

    /// For `poll`, which is repeated until the deadline is over. Rounded up, so that it does not return early.
    var pollMilliseconds: Int32 {
        Int32(clamping: Int((min(left, Self.pause) / .milliseconds(1)).rounded(.up)))
    }
}
