import NIOCore

/// Enforces every deadline of the connection, with one timer.
extension ServerConnection {
    /// The write timeout that applies now.
    private var patience: TimeAmount {
        let holdsOthersUp =
            core.holdsAllAnswers && writer.queuedBytes >= Limits.chunkBytes || core.hasAllCalls && waiting.first != nil
        return holdsOthersUp ? core.limits.deafTime : core.limits.writeTimeout
    }

    /// How many times per write timeout to ask the kernel whether the peer has read anything.
    private static let looksForProgress: Int64 = 8

    /// Schedules the next check of a blocked write.
    func watchBlockedPeer() {
        if let next = nextLook(after: core.executor.readClock()) { timer.wake(by: next) }
    }

    private func nextLook(after now: NIODeadline) -> NIODeadline? {
        blockedDeadline.map { min($0, now + .nanoseconds(patience.nanoseconds / Self.looksForProgress)) }
    }

    /// - Returns: the next deadline.
    func enforceDeadlines(now: NIODeadline) -> NIODeadline {
        writer.lookForProgress(now: now)
        guard [discardDeadline, blockedDeadline].allSatisfy({ $0.map { $0 > now } ?? true }) else {
            // If the loop was delayed, the last message is not written yet.
            writer.flush()
            close()
            return .distantFuture
        }
        do throws(FrameViolation) {
            try transport.expire(now: now)
        } catch {
            if isReading { reject(error.rpcError) }
        }
        closeIfDone()
        while let call = deadlines.popDue(now: now, isCurrent: isUnderWay).flatMap({ calls[$0] }) {
            abort(call, RPCError(.deadlineExceeded, "the call did not end before its deadline"))
        }
        for batch in batchesOnTheirWay.values where batch.deadline <= now {
            writer.giveUp(batch.message, because: .deadlineExceeded)
        }
        for refusal in transport.takeRefusals() { send(nil, .failure(refusal)) }
        let others = [discardDeadline, isReading ? lingersUntil : nil, nextLook(after: now), transport.nextExpiry]
        let next = deadlines.next(isCurrent: isUnderWay)
        let nextBatch = batchesOnTheirWay.values.lazy.map(\.deadline).min() ?? .distantFuture
        return others.compactMap(\.self).reduce(min(next, nextBatch), min)
    }

    /// Enforces the deadline of a call in the table.
    func watch(_ call: Call) {
        deadlines.add(call.key, call.deadline, count: calls.count, isCurrent: isUnderWay)
        timer.wake(by: call.deadline)
    }

    /// An id may be used again after its call has ended.
    private func isUnderWay(_ key: Call.Key, _ deadline: NIODeadline) -> Bool { calls[key]?.deadline == deadline }

    private var discardDeadline: NIODeadline? {
        guard case .discarding(_, let until) = phase else { return nil }
        return until
    }

    private var blockedDeadline: NIODeadline? { writer.blockedSince.map { $0 + patience } }
}
