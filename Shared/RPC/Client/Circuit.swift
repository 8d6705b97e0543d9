/// Whether calls are worth sending. Opens when nothing accepts connections, or when a call has timed out and the peer does
/// not answer a probe either; calls then fail at once instead of each after its own time. Closes when anything comes from
/// the peer.
struct Circuit {
    /// How many failed attempts to connect in a row open it.
    static let attempts = 5

    private enum State {
        case closed
        /// A call has timed out; a probe is under way.
        case suspected
        case open
    }

    private var state = State.closed

    /// Whether anything ever came from the peer: such a peer is worth waiting for.
    private var wasHeard = false

    /// Failed attempts to connect since anything came from the peer.
    private(set) var failedAttempts = 0

    var isOpen: Bool { state == .open }

    /// Whether hearing from the peer changes nothing.
    var isSettled: Bool { state == .closed && failedAttempts == 0 && wasHeard }

    /// The peer has sent something.
    mutating func heard() {
        state = .closed
        failedAttempts = 0
        wasHeard = true
    }

    /// An attempt to connect failed. For a peer that was never there one is enough.
    mutating func failedToConnect() {
        failedAttempts += 1
        if failedAttempts >= Self.attempts || !wasHeard { state = .open }
    }

    /// A call that the peer may have has timed out.
    /// - Returns: whether a probe is to be sent.
    mutating func timedOut() -> Bool {
        guard state == .closed else { return false }
        state = .suspected
        return true
    }

    /// The time of the probe is over.
    /// - Returns: whether that opened the circuit.
    mutating func probeTimedOut() -> Bool {
        guard state == .suspected else { return false }
        state = .open
        return true
    }
}
