/// A change in the state of a client's peer: one line of a log.
public enum PeerChange: Sendable, Equatable {
    /// It answers, for the first time.
    case appeared
    /// It answers again.
    /// - Parameter isNew: whether by another process than before.
    case returned(isNew: Bool)
    /// Another process answers, and calls have hardly noticed.
    case restarted
    /// It cannot be reached; calls fail at once until it can be.
    case down(reason: String)
    /// A call has timed out and a probe was not answered either: calls fail at once until something comes.
    case silent
    /// It does not offer a contract that the client needs; calls fail at once.
    case incompatible(reason: String)
    /// It has sent what the protocol forbids, and was disconnected.
    case violated(reason: String)
}

/// What was last reported about a peer, so that each change is reported once.
struct PeerStanding {
    /// How many attempts to connect to a peer that was never there may fail before that is a change to report: services of
    /// a deployment start at the same time. They take about 2 s (`Backoff`).
    static let firstAttempts = 8

    private enum State {
        case unknown
        case present
        case absent
    }

    private var state = State.unknown
    private var wasPresent = false
    private var isViolating = false

    /// Of the process that has answered last; nil for a peer that knows no `rpc.hello`.
    private var instance: String?

    /// It has answered `rpc.hello`, or is a plain peer.
    mutating func greeted(by instance: String?) -> PeerChange? {
        let isNew = instance != self.instance
        defer { (state, wasPresent, self.instance, isViolating) = (.present, true, instance, false) }
        guard wasPresent else { return .appeared }
        return switch state {
        case .absent: .returned(isNew: isNew)
        case .present: isNew ? .restarted : nil
        case .unknown: nil
        }
    }

    /// It was silent, and something has come.
    mutating func answered() -> PeerChange? {
        guard state == .absent else { return nil }
        state = .present
        return .returned(isNew: false)
    }

    /// Calls fail at once.
    /// - Parameter attempts: how many attempts to connect have failed.
    mutating func failedToConnect(attempts: Int, _ reason: String) -> PeerChange? {
        if state == .unknown, attempts < Self.firstAttempts { return nil }
        return lost(.down(reason: reason))
    }

    /// Calls fail at once for another reason.
    mutating func lost(_ change: PeerChange) -> PeerChange? {
        guard state != .absent else { return nil }
        state = .absent
        return change
    }

    /// Reported once until it is greeted again.
    mutating func violated(_ reason: String) -> PeerChange? {
        guard !isViolating else { return nil }
        isViolating = true
        return .violated(reason: reason)
    }
}
