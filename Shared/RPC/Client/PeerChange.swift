/// A change in the state of a client's peer; each is one log line.
public enum PeerChange: Sendable, Equatable {
    /// The peer answers for the first time, and no failure was reported before.
    case appeared
    /// The peer answers after a failure was reported.
    /// - Parameter isNew: whether a different process than before answers.
    case returned(isNew: Bool)
    /// A different process answers, but calls did not fail in between.
    case restarted
    /// The peer cannot be reached; calls fail at once until it can be.
    case down(reason: String)
    /// A call and the probe after it have timed out; calls fail at once until the peer sends something.
    case silent
    /// The peer does not offer a required contract; calls fail at once.
    case incompatible(reason: String)
    /// The peer has violated the protocol and was disconnected.
    case violated(reason: String)
}

/// The last reported state of a peer, so that each change is reported once.
struct PeerStanding {
    /// How many attempts to connect to a peer that never answered may fail before the peer is reported as down, because
    /// services of a deployment start at the same time. These attempts take about 2 s (`Backoff`).
    static let firstAttempts = 8

    private enum State {
        case unknown
        case present
        case down
        case incompatible

        var isAbsent: Bool { self == .down || self == .incompatible }
    }

    private var state = State.unknown
    private var wasPresent = false
    private var isViolating = false

    /// The instance of the process that answered last; nil for a peer that does not implement `rpc.hello`.
    private var instance: String?

    /// The peer has answered `rpc.hello`, or is a plain JSON-RPC peer.
    mutating func greeted(by instance: String?) -> PeerChange? {
        let isNew = instance != self.instance
        defer { (state, wasPresent, self.instance, isViolating) = (.present, true, instance, false) }
        return switch state {
        case .down, .incompatible: .returned(isNew: isNew && wasPresent)
        case .present: isNew ? .restarted : nil
        case .unknown: .appeared
        }
    }

    /// A silent peer has sent something.
    mutating func answered() -> PeerChange? {
        guard state.isAbsent else { return nil }
        state = .present
        return .returned(isNew: false)
    }

    /// The circuit has opened because attempts to connect failed.
    /// - Parameter attempts: how many attempts have failed.
    mutating func failedToConnect(attempts: Int, _ reason: String) -> PeerChange? {
        if state == .unknown, attempts < Self.firstAttempts { return nil }
        return lost(.down(reason: reason))
    }

    /// Calls fail at once for another reason. Of several reasons in a row only the first is reported, but whether the peer is
    /// incompatible always is.
    mutating func lost(_ change: PeerChange) -> PeerChange? {
        let next: State = if case .incompatible = change { .incompatible } else { .down }
        guard state != next else { return nil }
        state = next
        return change
    }

    /// A violation is reported once until the peer is greeted again.
    mutating func violated(_ reason: String) -> PeerChange? {
        guard !isViolating else { return nil }
        (state, isViolating) = (.down, true)
        return .violated(reason: reason)
    }
}
