/// The end of a step's time. Every wait for an implementation has one.
struct Deadline {
    let time: Duration
    private let end: ContinuousClock.Instant

    init(_ time: Duration) {
        self.time = time
        end = .now + time
    }

    var left: Duration { max(.zero, end - .now) }

    var isOver: Bool { left == .zero }

    /// For `poll`; rounded up, so that it does not return early.
    var pollMilliseconds: Int32 { Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))) }
}
