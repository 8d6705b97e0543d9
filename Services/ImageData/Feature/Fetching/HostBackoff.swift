/// Pauses requests to hosts that have failed. The pause grows exponentially and has a short maximum, so that a
/// recovered host is noticed soon. A host that fails slowly occupies a fetch slot for that time, so its pause is
/// longer. Times are those since the caller's monotonic clock was 0.
public struct HostBackoff: Sendable {
    /// The pause after the first failure; each further one makes it longer by the factor.
    public static let first = Duration.milliseconds(50)
    public static let factor = 2

    /// The maximum pause after failures that took no time.
    public static let longest = Duration.seconds(1)

    /// The maximum pause after a failure that took at least this long.
    public static let longestAfterWaiting = Duration.seconds(4)

    /// The maximum number of hosts in the table; entries whose pause has ended are removed first.
    public static let hostLimit = 1_024

    private struct Trouble: Sendable {
        /// The pause after a failure that takes no time.
        let quickPause: Duration
        let pause: Duration
        let since: Duration
        var until: Duration { since + pause }
    }

    private var troubles: [String: Trouble] = [:]

    public init() {}

    /// Whether a host has failed and not answered since.
    public func isInTrouble(_ host: String) -> Bool { troubles[host] != nil }

    /// The end of a host's pause; nil when the host may be requested.
    public func pause(of host: String, now: Duration) -> Duration? {
        troubles[host].map(\.until).flatMap { $0 > now ? $0 : nil }
    }

    /// Records a failure.
    /// - Parameter begun: when the request began. Concurrent requests fail together and count once.
    public mutating func failed(_ host: String, begun: Duration, now: Duration) {
        if let trouble = troubles[host] {
            guard begun >= trouble.since else { return }
        } else {
            if troubles.count >= Self.hostLimit { troubles = troubles.filter { $0.value.until > now } }
            guard troubles.count < Self.hostLimit else { return }
        }
        let quick = troubles[host].map { min($0.quickPause * Self.factor, Self.longest) } ?? Self.first
        troubles[host] = Trouble(
            quickPause: quick, pause: max(quick, min(now - begun, Self.longestAfterWaiting)), since: now)
    }

    public mutating func succeeded(_ host: String) { troubles[host] = nil }
}
