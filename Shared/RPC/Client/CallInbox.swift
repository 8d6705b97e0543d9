import NIOConcurrencyHelpers

/// Passes calls from their callers' threads to the event loop. One wake-up serves all calls that are made before the
/// loop removes them from the inbox.
final class CallInbox: Sendable {
    private struct State {
        var calls: [ClientCall] = []

        /// Whether the event loop will take the calls without a wake-up.
        var isExpected = false
    }

    /// Not a `Mutex`: the thread sanitizer does not see its exclusion, and would report the calls that are passed.
    private let state = NIOLockedValueBox(State())

    /// - Returns: whether the caller must wake the event loop.
    func put(_ call: ClientCall) -> Bool {
        state.withLockedValue { state in
            state.calls.append(call)
            defer { state.isExpected = true }
            return !state.isExpected
        }
    }

    /// Announces that the event loop will take the calls without a wake-up.
    func expect() { state.withLockedValue { $0.isExpected = true } }

    /// Removes all calls and returns them in the order in which they were made. If there are none, the next call must
    /// wake the event loop.
    func take() -> [ClientCall] {
        state.withLockedValue { state in
            let calls = state.calls
            state.calls = []
            if calls.isEmpty { state.isExpected = false }
            return calls
        }
    }
}
