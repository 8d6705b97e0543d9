import BenchKit
import RPC
import Synchronization

/// Calls that wait for their cancellation, and the times of the cancellations.
final class Waits: Sendable {
    private let states = Mutex<[Int: BenchContract.WaitState]>([:])

    /// Returns when the task is cancelled.
    func wait(as number: Int) async {
        states.withLock { $0[number] = BenchContract.WaitState(hasBegun: true, cancelledAt: nil) }
        await Task.untilCancelled {
            let now = MonotonicTime.now()
            self.states.withLock { $0[number]?.cancelledAt = now }
        }
    }

    /// The state of a wait. A finished wait is removed after this.
    func state(of number: Int) -> BenchContract.WaitState {
        states.withLock { states in
            let state = states[number] ?? BenchContract.WaitState(hasBegun: false, cancelledAt: nil)
            if state.cancelledAt != nil { states[number] = nil }
            return state
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// - Parameter body: runs at once when the task is cancelled, on the cancelling thread.
    static func untilCancelled(_ body: @escaping @Sendable () -> Void = {}) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            body()
            continuation.finish()
        }
    }
}
