/// How long to wait before the next attempt to connect: at once, then longer and longer, never in step with others.
public struct Backoff: Sendable {
    static let first = Duration.milliseconds(50)
    static let factor = 1.6
    static let longest = Duration.seconds(2)
    static let jitter = 0.2

    private var failures = 0

    public init() {}

    public mutating func reset() { failures = 0 }

    /// The pause before the next attempt.
    /// - Parameter random: from −1 to 1.
    public mutating func next(random: Double = .random(in: -1...1)) -> Duration {
        defer { failures += 1 }
        guard failures > 0 else { return .zero }
        var pause = Self.first
        for _ in 1..<failures where pause < Self.longest { pause = pause * Self.factor }
        let spread = 1 + Self.jitter * random
        return min(pause * spread, Self.longest)
    }
}
