import Synchronization

/// Set when the caller's task is cancelled, before the cancellation is sent to the event loop. The call and its
/// cancellation may reach the event loop in either order. A call that finds the flag set must not begin; for any other
/// call, the cancellation arrives later.
final class CancellationFlag: Sendable {
    private let raised = Atomic(false)

    func raise() { raised.store(true, ordering: .releasing) }

    var isRaised: Bool { raised.load(ordering: .acquiring) }
}
