import JSON
import NIOCore

/// Turns outcomes of calls into answers.
extension ServerConnection {
    @discardableResult
    func deliver(
        _ outcome: Result<Reply, RPCError>, to destination: Call.Destination, takesAttachments: Bool = false
    ) -> OutgoingMessage? {
        deliver(outcome, to: destination, id: destination.id, takesAttachments: takesAttachments)
    }

    /// - Returns: the outgoing message, if the answer takes more than one frame.
    @discardableResult
    func deliver(
        _ outcome: Result<Reply, RPCError>, to destination: Call.Destination, id: RequestID?,
        takesAttachments: Bool = false
    ) -> OutgoingMessage? {
        switch destination {
        case .nowhere: break
        case .message: return send(id, outcome, takesAttachments: takesAttachments)
        case .batch(let batch, let slot, _): add(outcome, for: id, to: batch, at: slot)
        }
        return nil
    }

    func add(_ outcome: Result<Reply, RPCError>, for id: RequestID?, to batch: Batch, at slot: Int) {
        let answer = response(id, outcome)
        core.executor.memory.used(answer.bytes.count)
        batchBytes -= batch.bytes
        let answers = batch.add(Batch.Member(id: id, answer: answer), at: slot) { member in
            response(member.id, .failure(.doesNotFit(member.answer, limit: writer.frameLimit)))
        }
        guard let answers else {
            batchBytes += batch.bytes
            return countAnswers()
        }
        if let message = write({ $0.array(answers) { $1.raw($0) } }) { deliver(message, of: batch) }
        guardAgainstFloodingPeer(answers: answers.count)
    }

    /// Sends the answer of a batch. Its calls are over; the message has the time left until their latest deadline.
    private func deliver(_ message: OutgoingMessage, of batch: Batch) {
        let id = ObjectIdentifier(message)
        let deadline = batch.deadline ?? core.executor.readClock() + core.limits.defaultTimeout
        batchesOnTheirWay[id] = (message, deadline)
        timer.wake(by: deadline)
        message.whenOver = { [weak self] _ in
            self?.batchesOnTheirWay[id] = nil
            self?.closeIfDone()
        }
    }

    private func response(_ id: RequestID?, _ outcome: Result<Reply, RPCError>) -> RawJSON {
        var writer = JSONWriter()
        writer.response(id: id, named(outcome))
        return RawJSON(unchecked: writer.bytes)
    }

    /// Sends one answer; a result over the peer's limit is replaced by an error that says so.
    /// - Returns: the outgoing message, if the answer takes more than one frame.
    @discardableResult
    func send(
        _ id: RequestID?, _ outcome: Result<Reply, RPCError>, takesAttachments: Bool = false
    ) -> OutgoingMessage? {
        switch phase {
        case .discarding, .closed: return nil
        case .fresh, .open, .halfClosed, .draining: break
        }
        defer { guardAgainstFloodingPeer(answers: 1) }
        do throws(RPCError) {
            return try writer.send(takesAttachments: takesAttachments) { $0.response(id: id, named(outcome)) }
        } catch {
            write { $0.response(id: id, named(.failure(error.asAnswer))) }
            return nil
        }
    }

    /// Sends an item of a stream.
    /// - Throws: `too_large`; nothing is sent then.
    func sendItem(
        of id: RequestID, takesAttachments: Bool, _ item: (inout JSONWriter) -> Void
    ) throws(RPCError) -> OutgoingMessage? {
        defer { countAnswers() }
        withoutEffect.explain()
        return try writer.send(takesAttachments: takesAttachments) { $0.item(of: id, item) }
    }

    func notify(_ method: String) {
        write { $0.request(id: nil, method: method) { $0.raw(.emptyObject) } }
    }

    /// Writes a message that is known to fit.
    @discardableResult
    func write(_ message: (inout JSONWriter) -> Void) -> OutgoingMessage? {
        do throws(RPCError) {
            return try writer.send(message)
        } catch {
            // The peer's limit is too small even for this error.
            close()
            return nil
        }
    }

    /// Closes the connection of a peer that sends requests without reading answers. It closes when the unread answers
    /// exceed twice their limit, and more than twice as many answers were written above the limit as calls may be
    /// under way. By then, all calls under way are answered, and as many further messages.
    /// - Parameter answers: how many answers were just written.
    private func guardAgainstFloodingPeer(answers: Int) {
        countAnswers()
        guard writer.queuedBytes >= core.limits.queuedBytes else { return }
        answersWithoutRoom += answers
        guard writer.queuedBytes > 2 * core.limits.queuedBytes else { return }
        if answersWithoutRoom > 2 * core.limits.callsPerConnection { close() }
    }

    /// Adds this service's name to an error, unless a forwarded one already has a name.
    func named(_ outcome: Result<Reply, RPCError>) -> Result<Reply, RPCError> {
        guard case .failure(var error) = outcome, error.service == nil else { return outcome }
        error.service = core.identity.name
        return .failure(error)
    }
}

extension RPCError {
    fileprivate static func doesNotFit(_ answer: RawJSON, limit: Int) -> RPCError {
        RPCError(
            .tooLarge,
            "this answer of \(answer.bytes.count) bytes does not fit with the other answers of the batch into "
                + "the limit of \(limit) bytes")
    }

    /// The same error for an answer: its handler has run.
    fileprivate var asAnswer: RPCError {
        RPCError(kind, kind == .tooLarge ? "the answer is too large: \(message)" : message)
    }
}
