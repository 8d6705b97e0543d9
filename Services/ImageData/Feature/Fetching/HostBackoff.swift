/// How long a host that has failed is left alone: a little, then more, never long, so that when it is back the next try
/// finds it. A host that took long to fail has held a place among the fetches for that time, so it is left alone longer.
public struct HostBackoff: Sendable {
    public static let first = Duration.milliseconds(50)
    public static let factor = 2
    public static let longest = Duration.seconds(1)

    /// The longest pause after a failure that took as long or longer.
    public static let longestAfterWaiting = Duration.seconds(4)

    /// How many hosts are remembered; of those whose time is over nothing more need be known.
    public static let hostLimit = 1_024

    private struct Trouble: Sendable {
        /// What the pause is after a failure that takes no time.
        let quickPause: Duration
        let pause: Duration
        let since: ContinuousClock.Instant
        var until: ContinuousClock.Instant { since + pause }
    }

    private let first: Duration
    private let longest: Duration
    private let longestAfterWaiting: Duration
    private var troubles: [String: Trouble] = [:]

    /// - Parameters:
    ///   - first: the pause after the first failure; each further failure doubles it.
    ///   - longest: the longest pause after failures that took no time.
    ///   - longestAfterWaiting: the longest pause.
    public init(
        first: Duration = Self.first, longest: Duration = Self.longest,
        longestAfterWaiting: Duration = Self.longestAfterWaiting
    ) {
        self.first = first
        self.longest = longest
        self.longestAfterWaiting = longestAfterWaiting
    }

    /// Whether a host has failed and has not answered since.
    public func isInTrouble(_ host: String) -> Bool { troubles[host] != nil }

    /// Until when a host is left alone; nil when it may be asked.
    public func pause(of host: String, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        troubles[host].map(\.until).flatMap { $0 > now ? $0 : nil }
    }

    /// - Parameter begun: when the host was asked. Requests that were under way together fail together, and count once.
    public mutating func failed(_ host: String, begun: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        if let trouble = troubles[host] {
            guard begun >= trouble.since else { return }
        } else {
            if troubles.count >= Self.hostLimit { troubles = troubles.filter { $0.value.until > now } }
            guard troubles.count < Self.hostLimit else { return }
        }
        let quick = troubles[host].map { min($0.quickPause * Self.factor, longest) } ?? first
        troubles[host] = Trouble(
            quickPause: quick, pause: max(quick, min(now - begun, longestAfterWaiting)), since: now)
    }

    public mutating func succeeded(_ host: String) { troubles[host] = nil }
}
