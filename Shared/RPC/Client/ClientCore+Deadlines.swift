import NIOCore

/// What ends by time, and how a peer that does not answer is looked after.
extension ClientCore {
    /// - Returns: when to look again.
    func enforceDeadlines(now: NIODeadline) -> NIODeadline {
        var due: [Int] = []
        while let id = deadlines.popDue(now: now, isCurrent: { id, _ in isUnderWay(id) }) { due.append(id) }
        // First those that wait: the end of one that was sent makes room for the next, which must not be one of them.
        let wasSent = Set(due.filter { sent[$0] != nil })
        var unanswered: TraceContext?
        for id in due where !wasSent.contains(id) {
            if isGreeting { unanswered = waiting[id]?.request.options.trace ?? unanswered }
            endLate(id, begun: false)
        }
        for id in due where wasSent.contains(id) {
            unanswered = sent[id]?.request.options.trace ?? unanswered
            endLate(id, begun: true)
        }
        if let unanswered { suspect(revealedBy: unanswered) }
        let next = min(enforceCircuit(now: now), enforceConnectionDeadlines(now: now))
        return min(next, deadlines.next { id, _ in isUnderWay(id) })
    }

    private func endLate(_ id: Int, begun: Bool) {
        end(id, .failure(RPCError(.deadlineExceeded, "\(name): no answer in time", begun: begun)))
    }

    private func enforceConnectionDeadlines(now: NIODeadline) -> NIODeadline {
        guard let connection else { return .distantFuture }
        do throws(FrameViolation) {
            try connection.link.expire(now: now)
        } catch {
            broken(connection, .unavailable, "it has stopped sending: \(error.rpcError.message)")
            return .distantFuture
        }
        // What they were about has ended with the number that was stopped.
        _ = connection.link.takeRefusals()
        let expiry = connection.link.nextExpiry ?? .distantFuture
        guard let blocked = connection.link.writer.blockedSince else { return expiry }
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
    private func suspect(revealedBy trace: TraceContext) {
        guard connection != nil, circuit.timedOut() else { return }
        connection?.probe()
        probing = executor.loop.assumeIsolated().scheduleTask(in: limits.probeTime) { self.confirm(trace) }
    }

    func stopProbing() {
        probing?.cancel()
        probing = nil
    }

    /// The peer has not answered the probe. Calls that it has keep their own limits: one that is merely slow may answer
    /// them still.
    private func confirm(_ trace: TraceContext) {
        probing = nil
        guard circuit.probeTimedOut() else { return }
        report(standing.lost(.silent), revealedBy: trace)
        failWaiting(unavailable(because: .silent))
        probe(pausing: Backoff())
    }

    /// Asks again and again, until something comes or the connection is lost. A new one is greeted, which asks as well.
    private func probe(pausing backoff: Backoff) {
        guard circuit.fault == .silent, let connection else { return }
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
