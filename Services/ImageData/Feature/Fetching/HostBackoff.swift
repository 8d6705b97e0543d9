/// Pauses requests to a host after its last failure, until it answers. Times are those since the caller's monotonic
/// clock was 0.
public struct HostBackoff: Sendable {
    /// The time after a failure in which the host is not requested: short, so that a recovered host is noticed soon.
    public static let pause = Duration.milliseconds(250)

    /// The maximum number of hosts in the table; entries whose pause has ended are removed first.
    static let hostLimit = 1_024

    /// The ends of the pauses, by host.
    private var ends: [String: Duration] = [:]

    /// Whether a host has failed and not answered since.
    func isInTrouble(_ host: String) -> Bool { ends[host] != nil }

    /// Whether a host must not be requested now.
    func isPaused(_ host: String, now: Duration) -> Bool { ends[host].map { $0 > now } ?? false }

    mutating func failed(_ host: String, now: Duration) {
        if ends.count >= Self.hostLimit, ends[host] == nil { ends = ends.filter { $0.value > now } }
        if ends.count < Self.hostLimit || ends[host] != nil { ends[host] = now + Self.pause }
    }

    mutating func answered(_ host: String) { ends[host] = nil }
}
