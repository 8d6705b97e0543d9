import NIOCore

/// A circuit breaker: while it is open, calls fail at once instead of each timing out.
///
/// | opens when | closes when |
/// |---|---|
/// | a peer that never answered cannot be reached, or a known peer has been unreachable for `patience` | a connection
/// is accepted or the backlog is full |
/// | a call and the probe after it time out | the peer sends anything |
/// | `shortConnections` in a row were short | a connection has lasted for `shortestLife` |
/// | the peer violates the protocol again within `lawfulLife` | it sends anything on a new connection, after a `penalty` |
struct Circuit {
    /// How long calls wait for a known peer that is unreachable. A supervisor takes 1.0 to 1.4 s to restart a service.
    static let patience = TimeAmount.seconds(3)

    /// How many short connections in a row open the circuit: the peer crashes repeatedly.
    static let shortConnections = 3

    /// A connection that ends sooner is short. One that the peer closes because it drains does not count.
    static let shortestLife = TimeAmount.milliseconds(500)

    /// A connection that lasts longer until the peer violates the protocol makes earlier violations forgotten.
    static let lawfulLife = TimeAmount.minutes(1)

    /// The pause before a new connection to a peer that violated the protocol again: the first, doubled for each further
    /// time, up to the last.
    static let penalties = (first: Duration.seconds(1), last: Duration.seconds(60))

    /// Why the circuit is open.
    enum Fault {
        /// No process accepts connections.
        case unreachable
        /// The peer reads but does not answer.
        case silent
        /// Connections end soon after they begin.
        case unstable
        /// The peer violates the protocol on each connection.
        case violating
    }

    private enum State: Equatable {
        case closed
        /// A call has timed out; a probe is in progress.
        case suspected
        case open(Fault)
    }

    private var state = State.closed

    /// Whether the peer has ever sent anything. Calls wait for such a peer.
    private var wasHeard = false

    /// Since when a known peer has been unreachable.
    private var awaySince: NIODeadline?

    /// How many connections in a row were short.
    private var shortInARow = 0

    /// How many connections in a row ended with a violation of the protocol.
    private var violationsInARow = 0

    /// Attempts to connect that failed since the peer last sent anything.
    private(set) var failedAttempts = 0

    /// Why calls fail at once; nil while the circuit is closed.
    var fault: Fault? {
        guard case .open(let fault) = state else { return nil }
        return fault
    }

    var isOpen: Bool { fault != nil }

    /// Whether `heard` would change nothing.
    var isSettled: Bool { state == .closed && failedAttempts == 0 && wasHeard && awaySince == nil }

    /// When `patience` for an unreachable peer runs out; nil if the peer is reachable or the circuit is already open.
    var patienceEnds: NIODeadline? { isOpen ? nil : awaySince.map { $0 + Self.patience } }

    // MARK: Connection events

    /// The peer has sent something.
    mutating func heard() {
        wasHeard = true
        failedAttempts = 0
        awaySince = nil
        if fault != .unstable { state = .closed }
    }

    /// The peer listens: it accepted a connection, or its backlog is full.
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

    /// - Returns: whether the circuit has opened.
    @discardableResult
    mutating func losePatience(now: NIODeadline) -> Bool {
        guard let patienceEnds, patienceEnds <= now else { return false }
        state = .open(.unreachable)
        return true
    }

    /// A connection has ended.
    /// - Parameters:
    ///   - life: how long it lasted; nil if the peer closed it because it drains.
    ///   - isViolation: whether it ended because the peer violated the protocol.
    mutating func lost(after life: TimeAmount?, isViolation: Bool = false, now: NIODeadline) {
        awaySince = awaySince ?? now
        if state == .suspected { state = .closed }
        guard let life else { return }
        if life >= Self.lawfulLife { violationsInARow = 0 }
        if isViolation {
            violationsInARow += 1
            if violationsInARow > 1 { state = .open(.violating) }
            return
        }
        shortInARow = life < Self.shortestLife ? shortInARow + 1 : 0
        if shortInARow >= Self.shortConnections { state = .open(.unstable) }
    }

    /// The least time before the next attempt to connect.
    var penalty: Duration {
        guard violationsInARow > 1 else { return .zero }
        var penalty = Self.penalties.first
        for _ in 2..<violationsInARow where penalty < Self.penalties.last { penalty = penalty * 2 }
        return min(penalty, Self.penalties.last)
    }

    /// A connection has lasted for `shortestLife`.
    mutating func lasted() {
        shortInARow = 0
        if fault == .unstable { state = .closed }
    }

    // MARK: Probing

    /// A call that was sent has timed out.
    /// - Returns: whether to send a probe.
    mutating func timedOut() -> Bool {
        guard state == .closed else { return false }
        state = .suspected
        return true
    }

    /// The probe has timed out.
    /// - Returns: whether the circuit has opened.
    mutating func probeTimedOut() -> Bool {
        guard state == .suspected else { return false }
        state = .open(.silent)
        return true
    }
}
