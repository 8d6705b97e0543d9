import NIOCore

/// Ending a client that is not needed any more without failing the calls under way.
extension ClientCore {
    /// Refuses new calls, ends streams, and lets the other calls finish within `limits.drainTime`.
    /// - Parameter whenOver: called when no call is left and when the time is over, possibly more than once.
    func retire(whenOver: @escaping () -> Void) {
        whenIdle = whenOver
        executor.schedule(in: limits.drainTime) { whenOver() }
        for call in calls.values where call.stream != nil {
            if call.phase == .sent {
                end(call, .failure(removed(begun: true)))
            } else {
                remove(call, .failure(removed(begun: false)))
            }
        }
        // Other calls may still be sent, but do not wait for a connection.
        switch state {
        case .ready, .draining: break
        case .connecting, .greeting, .down, .stopped: failWaiting(removed(begun: false))
        }
        if calls.isEmpty { whenOver() }
    }

    func removed(begun: Bool) -> RPCError { unavailable("it was removed from the configuration", begun: begun) }
}
