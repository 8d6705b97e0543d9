/// The pauses between attempts to connect: none before the first, then growing, with jitter so that clients do not
/// retry in step.
public struct Backoff: Sendable {
    static let first = Duration.milliseconds(50)
    static let factor = 1.6
    static let longest = Duration.seconds(2)
    static let jitter = 0.2

    /// The longest pause while the peer's backlog is full: the peer is alive, and other clients compete for each free
    /// place.
    static let longestWhenBusy = Duration.milliseconds(200)

    private let longest: Duration
    private var failures = 0

    public init() { self.init(longest: Self.longest) }

    init(longest: Duration) { self.longest = longest }

    public mutating func reset() { failures = 0 }

    /// Returns the pause before the next attempt.
    /// - Parameter random: the jitter, −1 to 1.
    public mutating func next(random: Double = .random(in: -1...1)) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .zero }
        var pause = Self.first
        for _ in 1..<failures where pause < longest { pause = pause * Self.factor }
        let spread = 1 + Self.jitter * random
        return min(pause * spread, longest)
    }
}
