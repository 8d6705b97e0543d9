/// How long a host that has failed is left alone: a little, then more, never long, so that when it is back the next try
/// finds it.
public struct HostBackoff: Sendable {
    public static let first = Duration.milliseconds(50)
    public static let factor = 2
    public static let longest = Duration.seconds(1)

    /// How many hosts are remembered; of those whose time is over nothing more need be known.
    public static let hostLimit = 1_024

    private struct Trouble: Sendable {
        var pause: Duration
        var since: ContinuousClock.Instant
        var until: ContinuousClock.Instant { since + pause }
    }

    private let first: Duration
    private let longest: Duration
    private var troubles: [String: Trouble] = [:]

    /// - Parameters:
    ///   - first: the pause after the first failure; each further failure doubles it.
    ///   - longest: the longest pause.
    public init(first: Duration = Self.first, longest: Duration = Self.longest) {
        self.first = first
        self.longest = longest
    }

    /// Until when a host is left alone; nil when it may be asked.
    public func pause(of host: String, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        troubles[host].map(\.until).flatMap { $0 > now ? $0 : nil }
    }

    /// - Parameter begun: when the host was asked. Requests that were under way together fail together, and count once.
    public mutating func failed(_ host: String, begun: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        if let trouble = troubles[host] {
            guard begun >= trouble.since else { return }
            troubles[host] = Trouble(pause: min(trouble.pause * Self.factor, longest), since: now)
        } else {
            if troubles.count >= Self.hostLimit { troubles = troubles.filter { $0.value.until > now } }
            guard troubles.count < Self.hostLimit else { return }
            troubles[host] = Trouble(pause: first, since: now)
        }
    }

    public mutating func succeeded(_ host: String) { troubles[host] = nil }
}
