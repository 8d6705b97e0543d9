/// How long to wait before the next attempt to connect: at once, then longer and longer, never in step with others.
public struct Backoff: Sendable {
    static let first = Duration.milliseconds(50)
    static let factor = 1.6
    static let longest = Duration.seconds(2)
    static let jitter = 0.2

    /// While the peer's backlog is full: it accepts, and another client may take a place that is free.
    static let longestWhenBusy = Duration.milliseconds(200)

    private let longest: Duration
    private var failures = 0

    public init() { self.init(longest: Self.longest) }

    init(longest: Duration) { self.longest = longest }

    public mutating func reset() { failures = 0 }

    /// The pause before the next attempt.
    /// - Parameter random: from −1 to 1.
    public mutating func next(random: Double = .random(in: -1...1)) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .zero }
        var pause = Self.first
        for _ in 1..<failures where pause < longest { pause = pause * Self.factor }
        let spread = 1 + Self.jitter * random
        return min(pause * spread, longest)
    }
}
