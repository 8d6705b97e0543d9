import NIOCore

/// Limits how often a database is connected to that cannot be used: at once, then after pauses that grow. Meanwhile calls fail at once.
struct ConnectingPace: Sendable {
    static let firstPause = TimeAmount.milliseconds(250)
    static let longestPause = TimeAmount.seconds(8)

    private var pause = TimeAmount.zero
    private var failure: (error: PostgresError, end: NIODeadline)?

    /// - Returns: the last failure during the pause after it.
    func failure(at now: NIODeadline) -> PostgresError? {
        guard let failure, now < failure.end else { return nil }
        return failure.error
    }

    mutating func note(_ error: PostgresError, at now: NIODeadline) {
        // Several connections that fail together have failed once.
        guard failure(at: now) == nil else { return }
        pause = pause == .zero ? Self.firstPause : min(pause * 2, Self.longestPause)
        failure = (error, now + pause)
    }

    mutating func reset() { (pause, failure) = (.zero, nil) }
}
