import NIOCore

/// Whether calls are worth sending: while the circuit is open, calls fail at once instead of each after its own time.
///
/// | it opens when | it closes when |
/// |---|---|
/// | a peer that was never there cannot be reached, or one that was there has been away for `patience` | something listens there |
/// | a call has timed out, and a probe is not answered either | anything comes from the peer |
/// | `shortConnections` in a row were short | a connection has lived for `shortestLife` |
struct Circuit {
    /// How long calls wait for a peer that was there before. A supervisor takes 1.0 to 1.4 s to restart a service.
    static let patience = TimeAmount.seconds(3)

    /// How many short connections in a row open the circuit: the peer crashes again and again.
    static let shortConnections = 3

    /// A connection that lives for less is short. One that the peer ends by draining is not counted.
    static let shortestLife = TimeAmount.milliseconds(500)

    /// Why the circuit is open.
    enum Fault {
        /// Nothing accepts connections.
        case unreachable
        /// The peer reads and answers nothing.
        case silent
        /// Its connections end soon after they began.
        case unstable
    }

    private enum State: Equatable {
        case closed
        /// A call has timed out; a probe is under way.
        case suspected
        case open(Fault)
    }

    private var state = State.closed

    /// Whether anything ever came from the peer: such a peer is worth waiting for.
    private var wasHeard = false

    /// Since when a peer that was there before is away.
    private var awaySince: NIODeadline?

    /// How many connections in a row were short.
    private var shortInARow = 0

    /// Failed attempts to connect since anything came from the peer.
    private(set) var failedAttempts = 0

    /// Why calls fail at once; nil while they do not.
    var fault: Fault? {
        guard case .open(let fault) = state else { return nil }
        return fault
    }

    var isOpen: Bool { fault != nil }

    /// Whether hearing from the peer changes nothing.
    var isSettled: Bool { state == .closed && failedAttempts == 0 && wasHeard && awaySince == nil }

    /// When the peer has been away for too long; nil while it is not away, or when the circuit is open already.
    var patienceEnds: NIODeadline? { isOpen ? nil : awaySince.map { $0 + Self.patience } }

    // MARK: What happens

    /// The peer has sent something.
    mutating func heard() {
        wasHeard = true
        failedAttempts = 0
        awaySince = nil
        if fault != .unstable { state = .closed }
    }

    /// Something listens there: a connection came about, or the backlog is full.
    mutating func reached() {
        awaySince = nil
        if fault == .unreachable { state = .closed }
    }

    /// An attempt to connect failed.
    mutating func failedToConnect(now: NIODeadline) {
        failedAttempts += 1
        awaySince = awaySince ?? now
        if !wasHeard, !isOpen { state = .open(.unreachable) }
        losePatience(now: now)
    }

    /// - Returns: whether that opened the circuit.
    @discardableResult
    mutating func losePatience(now: NIODeadline) -> Bool {
        guard let patienceEnds, patienceEnds <= now else { return false }
        state = .open(.unreachable)
        return true
    }

    /// A connection has ended.
    /// - Parameter life: how long it lived; nil for one that the peer has ended by draining.
    mutating func lost(after life: TimeAmount?, now: NIODeadline) {
        awaySince = awaySince ?? now
        if state == .suspected { state = .closed }
        guard let life else { return }
        shortInARow = life < Self.shortestLife ? shortInARow + 1 : 0
        if shortInARow >= Self.shortConnections { state = .open(.unstable) }
    }

    /// A connection has lived for `shortestLife`.
    mutating func lasted() {
        shortInARow = 0
        if fault == .unstable { state = .closed }
    }

    // MARK: Probing

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
        state = .open(.silent)
        return true
    }
}
