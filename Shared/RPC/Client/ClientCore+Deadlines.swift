import NIOCore

/// Timeouts of calls and connections, and probing of peers that do not answer.
extension ClientCore {
    /// - Returns: the next deadline.
    func enforceDeadlines(now: NIODeadline) -> NIODeadline {
        var due: [ClientCall] = []
        while let call = deadlines.popDue(now: now, isCurrent: Self.isUnderWay) { due.append(call) }
        var unanswered: TraceContext?
        // First the calls that were not sent: ending a sent call makes room for the next in the queue, which must not
        // be an expired one.
        let sent = due.filter { $0.phase == .sent }
        for call in due where call.phase != .sent {
            if isGreeting, call.phase == .waiting { unanswered = call.options.trace }
            endLate(call)
        }
        for call in sent {
            unanswered = call.options.trace
            endLate(call)
        }
        if let unanswered { suspect(revealedBy: unanswered) }
        let next = min(enforceCircuit(now: now), enforceConnectionDeadlines(now: now))
        return min(next, deadlines.next(isCurrent: Self.isUnderWay))
    }

    private func endLate(_ call: ClientCall) {
        let error = RPCError(.deadlineExceeded, "\(name): no answer in time", begun: call.phase == .sent)
        end(call, .failure(error))
    }

    private func enforceConnectionDeadlines(now: NIODeadline) -> NIODeadline {
        guard let connection else { return .distantFuture }
        do throws(FrameViolation) {
            try connection.transport.expire(now: now)
        } catch {
            broken(connection, .unavailable, "it has stopped sending: \(error.rpcError.message)")
            return .distantFuture
        }
        // The calls of refused messages have ended with their transfers.
        _ = connection.transport.takeRefusals()
        let expiry = connection.transport.nextExpiry ?? .distantFuture
        guard let blocked = connection.transport.writer.blockedSince else { return expiry }
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

    /// Probes the peer after a call has timed out. If the peer sends nothing in time, the circuit opens.
    private func suspect(revealedBy trace: TraceContext) {
        guard connection != nil, circuit.timedOut() else { return }
        connection?.probe()
        probing = executor.schedule(in: limits.probeTime) { self.confirm(trace) }
    }

    func stopProbing() {
        probing?.cancel()
        probing = nil
    }

    /// The peer has not answered the probe. Calls in progress keep their own deadlines: a slow peer may still answer
    /// them.
    private func confirm(_ trace: TraceContext) {
        probing = nil
        guard circuit.probeTimedOut() else { return }
        report(standing.lost(.silent), revealedBy: trace)
        failWaiting(unavailable(because: .silent))
        probe(pausing: Backoff())
    }

    /// Repeats probes until the peer sends something or the connection is lost. A new connection sends `rpc.hello`,
    /// which probes as well.
    private func probe(pausing backoff: Backoff) {
        guard circuit.fault == .silent, let connection else { return }
        connection.probe()
        var backoff = backoff
        // The first pause of a backoff is zero.
        let pause = max(backoff.next(), Backoff.first)
        probing = executor.schedule(in: TimeAmount(pause)) { [backoff] in
            self.probing = nil
            self.probe(pausing: backoff)
        }
    }
}
