import NIOCore

/// What ends by time, and how a peer that does not answer is looked after.
extension ClientCore {
    /// - Returns: when to look again.
    func enforceDeadlines(now: NIODeadline) -> NIODeadline {
        var unanswered: ClientCall?
        for (calls, begun) in [(waiting.all.map(\.value), false), (Array(sent.values), true)] {
            for call in calls where call.deadline <= now {
                if begun || isGreeting { unanswered = call }
                end(call.id, .failure(RPCError(.deadlineExceeded, "\(name): no answer in time", begun: begun)))
            }
        }
        if let unanswered { suspect(after: unanswered) }
        let next = waiting.all.reduce(.distantFuture) { min($0, $1.value.deadline) }
        return sent.values.reduce(min(next, enforceConnectionDeadlines(now: now))) { min($0, $1.deadline) }
    }

    private func enforceConnectionDeadlines(now: NIODeadline) -> NIODeadline {
        guard let connection else { return .distantFuture }
        connection.link.expire(now: now)
        // What they were about has ended with the number that was stopped.
        _ = connection.link.takeRefusals()
        let expiry = connection.link.nextExpiry ?? .distantFuture
        guard let blocked = connection.link.outbox.blockedSince else { return expiry }
        guard blocked + limits.writeTimeout > now else {
            broken(connection, .unavailable, "it has stopped reading")
            return .distantFuture
        }
        return min(expiry, blocked + limits.writeTimeout)
    }

    private var isGreeting: Bool {
        if case .greeting = state { return true }
        return false
    }

    // MARK: Probing

    /// A call has timed out: asks the peer for a sign of life. Without one in time the circuit opens.
    private func suspect(after call: ClientCall) {
        guard connection != nil, circuit.timedOut() else { return }
        connection?.probe()
        probing = executor.loop.assumeIsolated().scheduleTask(in: limits.probeTime) {
            [trace = call.request.options.trace] in self.confirm(trace)
        }
    }

    /// The peer has not answered the probe. Calls that it has keep their own limits: one that is merely slow may answer
    /// them still.
    private func confirm(_ trace: TraceContext) {
        probing = nil
        guard circuit.probeTimedOut() else { return }
        report(standing.lost(.silent), revealedBy: trace)
        failWaiting(silence)
        probe(pausing: Backoff())
    }

    /// Asks again and again, until something comes or the connection is lost. A new one is greeted, which asks as well.
    private func probe(pausing backoff: Backoff) {
        guard circuit.isOpen, let connection else { return }
        connection.probe()
        var backoff = backoff
        // The first pause of all is none.
        let pause = max(backoff.next(), Backoff.first)
        probing = executor.loop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) { [backoff] in
            self.probing = nil
            self.probe(pausing: backoff)
        }
    }
}
