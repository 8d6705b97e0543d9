import Synchronization

/// Hands calls from their callers' threads to the event loop, which is woken once for all that are made meanwhile.
final class CallInbox: Sendable {
    private struct State {
        var calls: [ClientCall] = []

        /// Whether the event loop takes the calls without being woken.
        var isExpected = false
    }

    private let state = Mutex(State())

    /// - Returns: whether the event loop must be woken to take the calls.
    func put(_ call: ClientCall) -> Bool {
        state.withLock { state in
            state.calls.append(call)
            defer { state.isExpected = true }
            return !state.isExpected
        }
    }

    /// The event loop is about to take the calls.
    func expect() { state.withLock { $0.isExpected = true } }

    /// All calls, in the order in which they were made. If there are none, the event loop must be woken for the next.
    func take() -> [ClientCall] {
        state.withLock { state in
            let calls = state.calls
            state.calls = []
            if calls.isEmpty { state.isExpected = false }
            return calls
        }
    }
}
