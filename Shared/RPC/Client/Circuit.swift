/// Whether calls are worth sending: opens after repeated failures, so that they fail at once instead of each in its own
/// time, and closes as soon as the peer is heard of again.
struct Circuit {
    /// How many failures in a row open it.
    static let threshold = 5

    private var failures = 0

    /// Whether the peer was ever heard of: while it was, it is worth waiting for.
    private var wasHeard = false

    private(set) var isOpen = false

    /// The peer has sent something.
    mutating func heard() { self = Circuit(wasHeard: true) }

    /// A call got no answer in time, or an attempt to connect failed.
    /// - Parameter isConnecting: nobody is there; if nobody ever was, that is enough.
    mutating func failed(isConnecting: Bool) {
        failures += 1
        if failures >= Self.threshold || isConnecting && !wasHeard { isOpen = true }
    }

    init() {}

    private init(wasHeard: Bool) { self.wasHeard = wasHeard }
}
