import Synchronization

/// Raised when the caller's task is cancelled. The call and its cancelling reach the event loop in any order; the flag is
/// raised before the latter is sent there: so a call that finds it raised must not begin, and for any other its cancelling
/// is still to come.
final class CancellationFlag: Sendable {
    private let raised = Atomic(false)

    func raise() { raised.store(true, ordering: .releasing) }

    var isRaised: Bool { raised.load(ordering: .acquiring) }
}
