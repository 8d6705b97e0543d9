import NIOCore

/// From a frame to a call, and from its outcome to an answer.
extension ServerConnection {
    func receive(_ frame: Frame) {
        let isFirst = isFresh
        if isFirst { phase = .open }
        do throws(RPCError) {
            switch try MessageParser.parse(frame.payload) {
            case .single(let call): receive(call, isFirst: isFirst)
            case .batch(let members): receive(members)
            case .response:
                throw RPCError(.invalidRequest, "a response was sent to a server", begun: false)
            }
        } catch {
            send(nil, .failure(error))
        }
    }

    private var isFresh: Bool {
        if case .fresh = phase { return true }
        return false
    }

    private func receive(_ call: IncomingCall, isFirst: Bool) {
        switch (call.content, call.answer) {
        case (.failure, .none): break
        case (.failure(let error), .withoutID): send(nil, .failure(error))
        case (.failure(let error), .to(let id)): send(unlessUnderWay(id), .failure(error))
        case (.request(let request), let answer):
            let id = answer.id
            if request.method == ProtocolMethods.hello.name {
                let outcome = isFirst ? greet(request) : .failure(.lateHello)
                if let id { send(unlessUnderWay(id), outcome) }
            } else {
                begin(request, to: id.map(Call.Destination.message) ?? .nowhere)
            }
        }
    }

    private func receive(_ members: [IncomingCall]) {
        let answering = members.filter { $0.answer != .none }
        let batch = Batch(count: answering.count)
        var slot = 0
        for member in members {
            guard member.answer != .none else {
                if case .request(let request) = member.content { begin(request, to: .nowhere) }
                continue
            }
            defer { slot += 1 }
            switch (member.content, member.answer.id) {
            case (.failure(let error), let id):
                add(.failure(error), for: id.flatMap(unlessUnderWay), to: batch, at: slot)
            case (.request(let request), let id?) where request.method == ProtocolMethods.hello.name:
                add(.failure(.lateHello), for: unlessUnderWay(id), to: batch, at: slot)
            case (.request(let request), let id?): begin(request, to: .batch(batch, slot: slot, id))
            case (.request, nil): break
            }
        }
    }

    // MARK: Calls

    private func begin(_ request: Request, to destination: Call.Destination) {
        if let id = destination.id, unlessUnderWay(id) == nil {
            let error = RPCError(.invalidRequest, "id: \(id.spelling.brief) is already under way", begun: false)
            return deliver(.failure(error), to: destination, id: nil)
        }
        if request.method == ProtocolMethods.cancel.name { return cancel(request, answerTo: destination) }
        let key = key(for: destination)
        do throws(RPCError) {
            let handler = try admit(request)
            let timeout = request.meta.timeout.map { TimeAmount.milliseconds(Int64($0)) } ?? core.limits.defaultTimeout
            let call = Call(
                request, key: key, to: destination, deadline: .now() + timeout, handler: handler, on: self)
            calls[key] = call
            wake(by: call.deadline)
            core.submit(call)
        } catch {
            core.counter.refuse(request.method, error.kind)
            deliver(.failure(error), to: destination)
        }
    }

    /// An answer with an id that is under way would end the call that has it.
    private func unlessUnderWay(_ id: RequestID) -> RequestID? { calls[.id(id)] == nil ? id : nil }

    private func key(for destination: Call.Destination) -> Call.Key {
        if let id = destination.id { return .id(id) }
        notificationsSeen += 1
        return .notification(notificationsSeen)
    }

    /// Finds the handler, unless the call must be refused before anything has run.
    private func admit(_ request: Request) throws(RPCError) -> MethodTable.Handler {
        if case .draining = phase {
            throw RPCError(.unavailable, "\(core.identity.name) is going away", begun: false)
        }
        guard calls.count < core.limits.callsPerConnection, core.callsUnderWay < core.limits.callsPerProcess else {
            throw RPCError(.overloaded, "too many calls under way", begun: false, retryAfter: ServerCore.retryAfter)
        }
        guard outbox.queuedBytes < core.limits.queuedBytes else {
            throw RPCError(.overloaded, "answers are not being read", begun: false, retryAfter: ServerCore.retryAfter)
        }
        guard let handler = core.methods.handler(for: request.method) else {
            throw RPCError(
                .methodNotFound,
                "there is no method \(RawJSON(request.method, as: .string).brief) here; rpc.describe lists them",
                begun: false)
        }
        return handler
    }

    private func cancel(_ request: Request, answerTo destination: Call.Destination) {
        do throws(JSONError) {
            let id = try request.params.read(as: ProtocolMethods.cancel.params).id
            if let call = calls[.id(id)] { abort(call, RPCError(.cancelled, "the caller cancelled")) }
            deliver(.success(Reply(.emptyObject)), to: destination)
        } catch {
            deliver(.failure(RPCError(invalidParams: error)), to: destination)
        }
    }

    /// Answers a call before its handler has ended, and tells the handler to stop.
    func abort(_ call: Call, _ error: RPCError) {
        var error = error
        error.begun = call.hasBegun
        call.abandon()
        finish(call, .failure(error))
    }

    /// Answers a call; it is over.
    func finish(_ call: Call, _ outcome: Result<Reply, RPCError>) {
        guard calls[call.key] === call else { return }
        calls[call.key] = nil
        core.counter.end(call.ticket, outcome.errorKind)
        deliver(outcome, to: call.destination)
        closeIfDone()
    }

    // MARK: Answers

    private func deliver(_ outcome: Result<Reply, RPCError>, to destination: Call.Destination) {
        deliver(outcome, to: destination, id: destination.id)
    }

    private func deliver(_ outcome: Result<Reply, RPCError>, to destination: Call.Destination, id: RequestID?) {
        switch destination {
        case .nowhere: break
        case .message: send(id, outcome)
        case .batch(let batch, let slot, _): add(outcome, for: id, to: batch, at: slot)
        }
    }

    private func add(_ outcome: Result<Reply, RPCError>, for id: RequestID?, to batch: Batch, at slot: Int) {
        guard let members = batch.add(Batch.Member(id: id, answer: response(id, outcome)), at: slot) else { return }
        // Where all do not fit into one message, those at the end are replaced by the error that says so.
        var room = outbox.frameLimit - Batch.bytesOfBrackets
        var reserved = members.reduce(0) { $0 + $1.reservedBytes }
        let answers = members.map { member in
            reserved -= member.reservedBytes
            if member.bytes <= room - reserved {
                room -= member.bytes
                return member.answer
            }
            let error = response(member.id, .failure(.doesNotFit(member.answer, limit: outbox.frameLimit)))
            room -= error.text.readableBytes + 1
            return error
        }
        write { $0.array(answers) { $1.raw($0) } }
        guardAgainstDeafPeer()
    }

    private func response(_ id: RequestID?, _ outcome: Result<Reply, RPCError>) -> RawJSON {
        var writer = JSONWriter()
        writer.response(id: id, named(outcome))
        return RawJSON(unchecked: ByteBuffer(bytes: writer.bytes))
    }

    /// Sends one answer; a result that is over the peer's limit becomes an error that says so.
    func send(_ id: RequestID?, _ outcome: Result<Reply, RPCError>) {
        switch phase {
        case .discarding, .closed: return
        case .fresh, .open, .halfClosed, .draining: break
        }
        do throws(RPCError) {
            try outbox.send { $0.response(id: id, named(outcome)) }
        } catch {
            write { $0.response(id: id, named(.failure(error.asAnswer))) }
        }
        guardAgainstDeafPeer()
    }

    func notify(_ method: String) {
        write { $0.request(id: nil, method: method) { $0.raw(.emptyObject) } }
    }

    /// Writes what is known to be small.
    private func write(_ message: (inout JSONWriter) -> Void) {
        do throws(RPCError) {
            try outbox.send(message)
        } catch {
            // Only a peer that takes next to nothing at all gets here, and there is nothing left to tell it.
            close()
        }
    }

    /// A peer that does not read must not make us keep its answers without bound; one that is merely slower than we are
    /// gets them all.
    private func guardAgainstDeafPeer() {
        guard outbox.queuedBytes > 2 * core.limits.queuedBytes, let blocked = outbox.blockedSince else { return }
        if blocked + core.limits.deafTime <= .now() { close() } else { wake(by: blocked + core.limits.deafTime) }
    }

    /// Errors say who answered; one that was forwarded says it already.
    private func named(_ outcome: Result<Reply, RPCError>) -> Result<Reply, RPCError> {
        outcome.mapError { error in
            var error = error
            error.service = error.service ?? core.identity.name
            return error
        }
    }
}

extension Result<Reply, RPCError> {
    fileprivate var errorKind: ErrorKind? { if case .failure(let error) = self { error.kind } else { nil } }
}

extension IncomingCall.Answer {
    fileprivate var id: RequestID? {
        guard case .to(let id) = self else { return nil }
        return id
    }
}

extension RPCError {
    fileprivate static let lateHello = RPCError(
        .invalidRequest, "rpc.hello must be the first message of a connection", begun: false)

    fileprivate static func doesNotFit(_ answer: RawJSON, limit: Int) -> RPCError {
        RPCError(
            .tooLarge,
            "this answer of \(answer.text.readableBytes) bytes does not fit beside the others of the batch into "
                + "the limit of \(limit) bytes")
    }

    /// The message was an answer, so its handler has run.
    fileprivate var asAnswer: RPCError {
        RPCError(kind, "the answer is too large: \(message)")
    }
}
