import Synchronization

/// Set when a handler that wants to wait (for room, or for granted items) is cancelled, before the event loop is told.
/// The wait and its cancellation may reach the event loop in either order. A wait that finds the flag set must not
/// begin; any other is cancelled later.
final class CancellationFlag: Sendable {
    private let raised = Atomic(false)

    func raise() { raised.store(true, ordering: .releasing) }

    var isRaised: Bool { raised.load(ordering: .acquiring) }
}
