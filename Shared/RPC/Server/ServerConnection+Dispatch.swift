import NIOCore

/// From a frame to a call, and from its outcome to an answer.
extension ServerConnection {
    func receive(_ text: ByteBuffer) throws(FrameViolation) {
        let isFirst = isFresh
        if isFirst { phase = .open }
        let message: IncomingMessage
        do throws(RPCError) {
            message = try MessageParser.parse(text)
        } catch {
            send(nil, .failure(error))
            return
        }
        switch message {
        case .single(let call): try receive(call, isFirst: isFirst)
        case .batch(let members): try receive(members)
        case .response(let response):
            try refuse(response.attachments)
            send(nil, .failure(RPCError(.invalidRequest, "a response was sent to a server", begun: false)))
        }
    }

    private var isFresh: Bool {
        if case .fresh = phase { return true }
        return false
    }

    private func receive(_ call: IncomingCall, isFirst: Bool) throws(FrameViolation) {
        if case .failure = call.content { try refuse(call.attachments) }
        switch (call.content, call.answer) {
        case (.failure, .none): break
        case (.failure(let error), .withoutID): send(nil, .failure(error))
        case (.failure(let error), .to(let id)): send(unlessUnderWay(id), .failure(error))
        case (.request(let request), let answer):
            let id = answer.id
            if request.method == ProtocolMethods.hello.name {
                try refuse(request.attachments)
                let (answer, features) = isFirst ? greet(request) : (.failure(.lateHello), link.features)
                if let id { send(unlessUnderWay(id), answer) }
                link.features = features
            } else {
                try begin(request, to: id.map(Call.Destination.message) ?? .nowhere)
            }
        }
    }

    private func receive(_ members: [IncomingCall]) throws(FrameViolation) {
        let answering = members.filter { $0.answer != .none }
        let batch = Batch(count: answering.count)
        var slot = 0
        for member in members {
            if case .failure = member.content { try refuse(member.attachments) }
            guard member.answer != .none else {
                if case .request(let request) = member.content { try begin(request, to: .nowhere) }
                continue
            }
            defer { slot += 1 }
            switch (member.content, member.answer.id) {
            case (.failure(let error), let id):
                add(.failure(error), for: id.flatMap(unlessUnderWay), to: batch, at: slot)
            case (.request(let request), let id?) where request.method == ProtocolMethods.hello.name:
                add(.failure(.lateHello), for: unlessUnderWay(id), to: batch, at: slot)
            case (.request(let request), let id?): try begin(request, to: .batch(batch, slot: slot, id))
            case (.request, nil): break
            }
        }
    }

    /// Does not want what comes beside a message that is no call.
    private func refuse(_ attachments: AttachmentNumbers) throws(FrameViolation) {
        guard link.features.contains(.bytes) else { return }
        let numbers: [UInt32]
        do throws(RPCError) {
            numbers = try attachments.read()
        } catch {
            // Numbers that make no sense announce nothing.
            return
        }
        try link.refuse(numbers)
    }

    // MARK: Calls

    /// Begins a call that may have bytes beside it.
    private func begin(_ request: Request, to destination: Call.Destination) throws(FrameViolation) {
        guard link.features.contains(.bytes) else {
            begin(request, to: destination, collecting: [])
            return
        }
        let numbers: [UInt32]
        do throws(RPCError) {
            numbers = try request.attachments.read()
        } catch {
            deliver(.failure(error), to: destination)
            return
        }
        guard let call = begin(request, to: destination, collecting: numbers) else { return try link.refuse(numbers) }
        guard !numbers.isEmpty else { return }
        let attachments = IncomingAttachments(
            numbers, areChecked: !core.methods.passesOn(request.method)
        ) { [weak self, weak call] result in
            if let call { self?.collected(result, for: call) }
        }
        call.collect(attachments)
        try link.receive(attachments)
    }

    /// What a call waited for has come, or will not.
    private func collected(_ result: Result<[Attachment], RPCError>, for call: Call) {
        guard calls[call.key] === call else { return }
        switch result {
        case .success(let attachments):
            call.collected(attachments)
            core.submit(call)
        case .failure(var error):
            error.begun = false
            call.abandon()
            finish(call, .failure(error))
        }
    }

    /// - Parameter numbers: the call waits for these.
    /// - Returns: nil when it was refused, and answered.
    @discardableResult
    private func begin(
        _ request: Request, to destination: Call.Destination, collecting numbers: [UInt32]
    ) -> Call? {
        if let id = destination.id, unlessUnderWay(id) == nil {
            let error = RPCError(.invalidRequest, "id: \(id.spelling.brief) is already under way", begun: false)
            deliver(.failure(error), to: destination, id: nil)
            return nil
        }
        if handleNotification(request, answerTo: destination) { return nil }
        do throws(RPCError) {
            let call = try admit(request, to: destination)
            calls[call.key] = call
            wake(by: call.deadline)
            if numbers.isEmpty { core.submit(call) }
            return call
        } catch {
            core.counter.refuse(request.method, error.kind)
            deliver(.failure(error), to: destination)
            return nil
        }
    }

    /// An answer with an id that is under way would end the call that has it.
    private func unlessUnderWay(_ id: RequestID) -> RequestID? { calls[.id(id)] == nil ? id : nil }

    private func key(for destination: Call.Destination) -> Call.Key {
        if let id = destination.id { return .id(id) }
        notificationsSeen += 1
        return .notification(notificationsSeen)
    }

    /// Makes a call of a request, unless it must be refused before anything has run.
    private func admit(_ request: Request, to destination: Call.Destination) throws(RPCError) -> Call {
        // Who asks how it is learns that it goes away.
        if case .draining = phase, request.method != ProtocolMethods.health.name {
            var error = goingAway
            error.begun = false
            throw error
        }
        guard calls.count < core.limits.callsPerConnection, core.callsUnderWay < core.limits.callsPerProcess else {
            throw RPCError(.overloaded, "too many calls under way", begun: false, retryAfter: ServerCore.retryAfter)
        }
        guard outbox.queuedBytes <= 2 * core.limits.queuedBytes else {
            // Who asks on and on without reading what was answered is not waited for.
            close()
            throw RPCError(.overloaded, "answers are not being read", begun: false, retryAfter: ServerCore.retryAfter)
        }
        guard hasRoom else {
            throw RPCError(.overloaded, "answers are not being read", begun: false, retryAfter: ServerCore.retryAfter)
        }
        let isStream = request.meta.stream == true
        let route = try core.methods.route(request.method, asStream: isStream)
        let timeout = request.meta.timeout.map { TimeAmount.milliseconds(Int64($0)) }
        let deadline =
            isStream && timeout == nil ? NIODeadline.distantFuture : loop.now + (timeout ?? core.limits.defaultTimeout)
        let stream = isStream ? try stream(request, to: destination) : nil
        return Call(
            try holding(request), key: key(for: destination), to: destination, deadline: deadline, route: route,
            stream: stream, on: self)
    }

    /// Small parameters do not keep the large message that they came in; large ones are counted while their call lasts.
    private func holding(_ request: Request) throws(RPCError) -> Request {
        var request = request
        request.params = request.params.withoutItsSurroundings
        guard request.params.heldBytes == 0 || link.budget.take(request.params.heldBytes) else {
            throw RPCError(
                .overloaded, "too many large requests under way", begun: false, retryAfter: ServerCore.retryAfter)
        }
        return request
    }

    private func stream(_ request: Request, to destination: Call.Destination) throws(RPCError) -> ServerStream {
        guard case .message(let id) = destination else {
            throw RPCError(
                .invalidRequest, "a stream needs an id, and a message of its own (not a batch)", begun: false)
        }
        return ServerStream(
            id, on: self,
            takesAttachments: request.meta.attachments == true && link.features.contains(.bytes),
            window: request.meta.window ?? Limits.defaultStreamWindow)
    }

    /// - Returns: false when the request is no notification of the protocol's own.
    private func handleNotification(_ request: Request, answerTo destination: Call.Destination) -> Bool {
        do throws(JSONError) {
            switch request.method {
            case ProtocolMethods.cancel.name:
                let id = try request.params.read(as: ProtocolMethods.cancel.params).id
                if let call = calls[.id(id)] { abort(call, RPCError(.cancelled, "the caller cancelled")) }
            case ProtocolMethods.grant.name:
                let grant = try request.params.read(as: ProtocolMethods.grant.params)
                if let stream = calls[.id(grant.id)]?.stream, !stream.grant(grant.items) {
                    throw .mismatch(
                        path: "items", reason: "more than \(Limits.streamWindows.upperBound) would be outstanding")
                }
            default: return false
            }
            deliver(.success(Reply(.emptyObject)), to: destination)
        } catch {
            deliver(.failure(RPCError(invalidParams: error)), to: destination)
        }
        return true
    }

    /// Answers a call before its handler has ended, and tells the handler to stop; or ends an answer that is on its way.
    func abort(_ call: Call, _ error: RPCError) {
        var error = error
        error.begun = call.hasBegun
        if let missing = call.missing { link.stop(missing) }
        let answer = call.answer
        call.abandon()
        if let answer {
            // Once its text is out the caller has an answer, and learns of the rest by the aborting of the rest.
            let isAnswered = answer.isTextOut
            answer.whenOver = { _ in }
            outbox.giveUp(answer, because: error.kind)
            offerRoom()
            if isAnswered { return remove(call) }
        }
        finish(call, .failure(error))
    }

    /// Answers a call; it is over when the answer is out.
    func finish(_ call: Call, _ outcome: Result<Reply, RPCError>) {
        guard calls[call.key] === call else { return }
        core.count(call, outcome.errorKind)
        guard let answer = deliver(outcome, to: call.destination, takesAttachments: call.takesAttachments) else {
            return remove(call)
        }
        call.answering(answer)
        answer.whenOver = { [weak self, weak call, unowned answer] outcome in
            guard let self, let call, calls[call.key] === call else { return }
            // A caller that could not take the whole text knows of no answer yet.
            if case .givenUp = outcome, !answer.isTextOut { deliver(.failure(.notTaken), to: call.destination) }
            remove(call)
        }
    }

    private func remove(_ call: Call) {
        guard calls[call.key] === call else { return }
        calls[call.key] = nil
        closeIfDone()
    }

    // MARK: Answers

    @discardableResult
    private func deliver(
        _ outcome: Result<Reply, RPCError>, to destination: Call.Destination, takesAttachments: Bool = false
    ) -> OutgoingMessage? {
        deliver(outcome, to: destination, id: destination.id, takesAttachments: takesAttachments)
    }

    /// - Returns: what stands for an answer that takes its time.
    @discardableResult
    private func deliver(
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
        if let message = write({ $0.array(answers) { $1.raw($0) } }) {
            batchesOnTheirWay += 1
            message.whenOver = { [weak self] _ in
                self?.batchesOnTheirWay -= 1
                self?.closeIfDone()
            }
        }
        guardAgainstDeafPeer()
    }

    private func response(_ id: RequestID?, _ outcome: Result<Reply, RPCError>) -> RawJSON {
        var writer = JSONWriter()
        writer.response(id: id, named(outcome))
        return RawJSON(unchecked: ByteBuffer(bytes: writer.bytes))
    }

    /// Sends one answer; a result that is over the peer's limit becomes an error that says so.
    /// - Returns: what stands for an answer that takes its time.
    @discardableResult
    func send(
        _ id: RequestID?, _ outcome: Result<Reply, RPCError>, takesAttachments: Bool = false
    ) -> OutgoingMessage? {
        switch phase {
        case .discarding, .closed: return nil
        case .fresh, .open, .halfClosed, .draining: break
        }
        defer { guardAgainstDeafPeer() }
        do throws(RPCError) {
            return try outbox.send(takesAttachments: takesAttachments) { $0.response(id: id, named(outcome)) }
        } catch {
            write { $0.response(id: id, named(.failure(error.asAnswer))) }
            return nil
        }
    }

    /// Sends an item of a stream.
    /// - Throws: `too_large`, and nothing is sent.
    func sendItem(
        of id: RequestID, takesAttachments: Bool, _ item: (inout JSONWriter) -> Void
    ) throws(RPCError) -> OutgoingMessage? {
        try outbox.send(takesAttachments: takesAttachments) { $0.item(of: id, item) }
    }

    func notify(_ method: String) {
        write { $0.request(id: nil, method: method) { $0.raw(.emptyObject) } }
    }

    /// Writes what is known to fit.
    @discardableResult
    func write(_ message: (inout JSONWriter) -> Void) -> OutgoingMessage? {
        do throws(RPCError) {
            return try outbox.send(message)
        } catch {
            // Only a peer that takes next to nothing at all gets here, and there is nothing left to tell it.
            close()
            return nil
        }
    }

    /// A peer that does not read must not make us keep its answers without bound; one that is merely slower than we are
    /// gets them all.
    private func guardAgainstDeafPeer() {
        guard outbox.queuedBytes > 2 * core.limits.queuedBytes, let blocked = outbox.blockedSince else { return }
        if blocked + core.limits.deafTime <= loop.now { close() } else { wake(by: blocked + core.limits.deafTime) }
    }

    /// Errors say who answered; one that was forwarded says it already.
    func named(_ outcome: Result<Reply, RPCError>) -> Result<Reply, RPCError> {
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

    fileprivate static let notTaken = RPCError(
        .overloaded, "the caller could not take the answer", retryAfter: ServerCore.retryAfter)

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
