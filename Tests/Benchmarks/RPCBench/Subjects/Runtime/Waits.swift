import BenchKit
import RPC
import Synchronization

/// Calls that wait until they are cancelled, and when that was.
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

    /// A wait whose end was told is forgotten.
    func state(of number: Int) -> BenchContract.WaitState {
        states.withLock { states in
            let state = states[number] ?? BenchContract.WaitState(hasBegun: false, cancelledAt: nil)
            if state.cancelledAt != nil { states[number] = nil }
            return state
        }
    }
}

extension Task where Success == Never, Failure == Never {
    /// - Parameter body: run at once where the task is cancelled.
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
