import Synchronization

/// Tells the thread of a verification that its task was cancelled.
final class Cancellation: Sendable {
    private let isCancelled = Atomic(false)

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func check() throws {
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    }
}
