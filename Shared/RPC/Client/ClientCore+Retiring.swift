/// Ending a client that is not needed any more without failing the calls under way.
extension ClientCore {
    /// Refuses new calls, ends streams, and lets the other calls finish.
    /// - Parameter whenIdle: called when no call is left, possibly more than once.
    func retire(whenIdle: @escaping () -> Void) {
        self.whenIdle = whenIdle
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
        if calls.isEmpty { whenIdle() }
    }

    func removed(begun: Bool) -> RPCError { unavailable("it was removed from the configuration", begun: begun) }
}
