import NIOCore

/// What ends by time, and how a peer that does not answer is looked after.
extension ClientCore {
    /// - Returns: when to look again.
    func enforceDeadlines(now: NIODeadline) -> NIODeadline {
        for (calls, begun) in [(waiting.all.map(\.value), false), (Array(sent.values), true)] {
            for call in calls where call.deadline <= now {
                if begun || isGreeting { circuit.failed(isConnecting: false) }
                end(call.id, .failure(RPCError(.deadlineExceeded, "\(path): no answer in time", begun: begun)))
            }
        }
        probeIfOpen()
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

    /// Asks a peer that does not answer for a sign of life, again and again.
    func probeIfOpen() {
        guard circuit.isOpen, probing == nil, connection != nil else { return }
        probe(pausing: Backoff())
    }

    private func probe(pausing backoff: Backoff) {
        var backoff = backoff
        connection?.probe()
        // The first pause of all is none.
        let pause = max(backoff.next(), Backoff.first)
        probing = executor.loop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) {
            self.probing = nil
            if self.circuit.isOpen, self.connection != nil { self.probe(pausing: backoff) }
        }
    }
}
