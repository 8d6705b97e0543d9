import JSON
import NIOCore

/// Turns requests into calls, and ends calls.
extension ServerConnection {
    /// Begins a call that may have attachments.
    func begin(
        _ request: Request, of method: ServedMethod, _ attachments: AttachmentNumbers, to destination: Call.Destination
    ) throws(FrameViolation) {
        guard attachments.areThere, transport.features.contains(.bytes) else {
            try begin(request, of: method, to: destination, collecting: [])
            return
        }
        let numbers: [UInt32]
        do throws(RPCError) {
            numbers = try attachments.read()
        } catch {
            deliver(.failure(error), to: destination)
            return
        }
        guard let call = try begin(request, of: method, to: destination, collecting: numbers) else {
            return try transport.refuse(numbers)
        }
        guard !numbers.isEmpty else { return }
        let attachments = IncomingAttachments(
            numbers, areChecked: !call.method.isForwarded
        ) { [weak self, weak call] result in
            if let call { self?.collected(result, for: call) }
        }
        call.collect(attachments)
        try transport.receive(attachments)
    }

    /// Continues a call whose attachments are complete or have failed.
    private func collected(_ result: Result<[Attachment], RPCError>, for call: Call) {
        guard calls[call.key] === call else { return }
        switch result {
        case .success(let attachments):
            call.collected(attachments)
            core.add(call)
            // The caller of this callback is not reentrant, so the call is queued.
            core.queue.add(call)
        case .failure(var error):
            error.begun = false
            call.abandon()
            finish(call, .failure(error))
        }
    }

    /// - Parameter numbers: the attachments that the call waits for.
    /// - Returns: the call, unless it was refused or is already answered.
    @discardableResult
    private func begin(
        _ request: Request, of method: ServedMethod, to destination: Call.Destination, collecting numbers: [UInt32]
    ) throws(FrameViolation) -> Call? {
        if let id = destination.id {
            withoutEffect.explain()
            if unlessUnderWay(id) == nil {
                let error = RPCError(.invalidRequest, "id: \(id.spelling.brief) is already under way", begun: false)
                deliver(.failure(error), to: destination, id: nil)
                return nil
            }
        }
        if try handleNotification(request, of: method, answerTo: destination) { return nil }
        do throws(RPCError) {
            try mayAdmit(request)
            let handler = try core.methods.handler(of: method, for: request)
            if case .atOnce(let body, _) = handler, numbers.isEmpty, !request.params.isLarge,
                mayStartNow(toAnswer: destination)
            {
                return answer(request, of: method, handler, body, to: destination)
            }
            let stream = request.meta.stream == true ? try stream(request, to: destination) : nil
            try hold(request)
            method.begin()
            let call = Call(
                request, key: key(for: destination), to: destination, began: core.executor.readClock(),
                deadline: deadline(of: request), method: method, handler: handler, stream: stream, on: self)
            calls[call.key] = call
            watch(call)
            if case .batch(let batch, _, _) = destination {
                batch.deadline = max(batch.deadline ?? call.deadline, call.deadline)
            }
            guard numbers.isEmpty else { return call }
            core.add(call)
            if mayStartNow(toAnswer: destination) { call.start() } else { core.queue.add(call) }
            return call
        } catch {
            core.noteEnd(of: request, method, error, since: nil, on: self)
            deliver(.failure(error), to: destination)
            return nil
        }
    }

    /// Handles and answers a call that needs no task.
    /// - Returns: the call, if its answer takes more than one frame.
    private func answer(
        _ request: Request, of method: ServedMethod, _ handler: MethodTable.Handler,
        _ body: (Payload, CallContext) throws -> Reply, to destination: Call.Destination
    ) -> Call? {
        // The clock was read at the end of the previous call or of the socket read.
        let began = core.executor.now
        let deadline = deadline(of: request)
        let context = context(of: request, to: destination, deadline: deadline)
        method.begin()
        let outcome: Result<Reply, RPCError>
        do {
            outcome = .success(try context.trace.during { try body(Payload(request.params), context) })
        } catch {
            outcome = .failure(core.answer(for: error, to: request))
        }
        core.noteEnd(of: request, method, outcome.error, since: began, on: self)
        guard let message = deliver(outcome, to: destination, takesAttachments: context.takesAttachments) else {
            return nil
        }
        var request = request
        request.params = .emptyObject
        let call = Call(
            request, key: key(for: destination), to: destination, began: nil, deadline: deadline, method: method,
            handler: handler, stream: nil, on: self)
        calls[call.key] = call
        watch(call)
        finish(call, with: message)
        return call
    }

    func context(of request: Request, to destination: Call.Destination, deadline: NIODeadline) -> CallContext {
        CallContext(
            deadline: deadline, clock: core.executor.clock, trace: request.meta.trace,
            takesAttachments: takesAttachments(request, destination),
            priority: request.meta.priority ?? .visible, window: request.meta.window ?? Limits.defaultStreamWindow,
            hops: request.meta.hops ?? 0, peer: peer, connection: NIOLoopBound(self, eventLoop: loop))
    }

    /// Whether the answer may have attachments: not in a batch, whose answers share one message.
    private func takesAttachments(_ request: Request, _ destination: Call.Destination) -> Bool {
        guard request.meta.attachments == true, case .message = destination else { return false }
        return transport.features.contains(.bytes)
    }

    /// Returns nil for an id that is under way: an answer with it would end the earlier call.
    func unlessUnderWay(_ id: RequestID) -> RequestID? { calls.isEmpty || calls[.id(id)] == nil ? id : nil }

    private func key(for destination: Call.Destination) -> Call.Key {
        if let id = destination.id { return .id(id) }
        notificationsSeen += 1
        return .notification(notificationsSeen)
    }

    /// Checks the limits for a new call.
    private func mayAdmit(_ request: Request) throws(RPCError) {
        if case .draining = phase, !ProtocolMethods.answeredWhileDraining.contains(request.method) {
            var error = goingAway
            error.begun = false
            throw error
        }
        guard calls.count < core.limits.callsPerConnection else { throw .overloaded("too many calls under way") }
        guard core.callsUnderWay < core.limits.callsPerProcess else {
            core.press()
            throw .overloaded("too many calls under way")
        }
    }

    /// The deadline of a call that begins now.
    private func deadline(of request: Request) -> NIODeadline {
        if let timeout = request.meta.timeout { return core.executor.now + .milliseconds(Int64(timeout)) }
        return request.meta.stream == true ? .distantFuture : core.executor.now + core.limits.defaultTimeout
    }

    /// Counts large parameters against the budget while the call lasts.
    private func hold(_ request: Request) throws(RPCError) {
        guard request.params.heldBytes == 0 || transport.budget.take(request.params.heldBytes) else {
            throw .overloaded("too many large requests under way")
        }
    }

    private func stream(_ request: Request, to destination: Call.Destination) throws(RPCError) -> ServerStream {
        guard case .message(let id) = destination else {
            throw RPCError(
                .invalidRequest, "a stream needs an id, and a message of its own (not a batch)", begun: false)
        }
        return ServerStream(
            id, on: self,
            takesAttachments: takesAttachments(request, destination),
            window: request.meta.window ?? Limits.defaultStreamWindow)
    }

    /// - Returns: false unless the request is a notification of the protocol itself.
    /// - Throws: when too many of them have no effect.
    private func handleNotification(
        _ request: Request, of method: ServedMethod, answerTo destination: Call.Destination
    ) throws(FrameViolation) -> Bool {
        guard method === core.methods.cancel || method === core.methods.grant else { return false }
        var hasEffect = false
        do throws(JSONError) {
            hasEffect =
                try method === core.methods.cancel ? cancelCall(of: request.params) : grantItems(request.params)
            deliver(.success(Reply(.emptyObject)), to: destination)
        } catch {
            deliver(.failure(RPCError(invalidParams: error)), to: destination)
        }
        if !hasEffect { try withoutEffect.take() }
        return true
    }

    /// - Returns: false when the call is unknown or over.
    private func cancelCall(of params: RawJSON) throws(JSONError) -> Bool {
        try params.mustBeSmall()
        guard let call = calls[.id(try params.read(as: ProtocolMethods.cancel.params).id)] else { return false }
        abort(call, RPCError(.cancelled, "the caller cancelled"))
        return true
    }

    /// - Returns: false when the stream is unknown or over.
    private func grantItems(_ params: RawJSON) throws(JSONError) -> Bool {
        try params.mustBeSmall()
        let grant = try params.read(as: ProtocolMethods.grant.params)
        guard let stream = calls[.id(grant.id)]?.stream else { return false }
        guard stream.grant(grant.items) else {
            throw .mismatch(
                path: "items", reason: "more than \(Limits.streamWindows.upperBound) would be outstanding")
        }
        return true
    }

    /// Ends a call before its handler has ended, and cancels the handler; or aborts an answer that is being sent.
    func abort(_ call: Call, _ error: RPCError) {
        var error = error
        error.begun = call.hasBegun
        if let missing = call.missing { transport.stop(missing) }
        let answer = call.answer
        call.abandon()
        if let answer {
            // Once the whole text is sent, the caller has its answer; aborted attachments tell it about the rest.
            let isAnswered = answer.isTextOut
            answer.whenOver = { _ in }
            writer.giveUp(answer, because: error.kind)
            offerRoom()
            if isAnswered {
                core.noteFault(error, of: call.request)
                return remove(call)
            }
        }
        finish(call, .failure(error))
    }

    /// Answers a call; the call is over when the answer is sent.
    func finish(_ call: Call, _ outcome: Result<Reply, RPCError>) {
        guard calls[call.key] === call else { return }
        note(call, outcome.error)
        let takesAttachments = takesAttachments(call.request, call.destination)
        guard let message = deliver(outcome, to: call.destination, takesAttachments: takesAttachments) else {
            return remove(call)
        }
        finish(call, with: message)
    }

    /// Ends the call when this message is sent.
    private func finish(_ call: Call, with answer: OutgoingMessage) {
        call.answering(answer)
        answer.whenOver = { [weak self, weak call, unowned answer] outcome in
            guard let self, let call, calls[call.key] === call else { return }
            // The caller has not received the whole text, so it has no answer yet.
            if case .givenUp = outcome, !answer.isTextOut { deliver(.failure(.answerNotTaken), to: call.destination) }
            remove(call)
        }
    }

    /// Records the end of a call, once. An answer that is cut off later still counts as a fault.
    func note(_ call: Call, _ error: RPCError?) {
        if let began = call.began {
            call.began = nil
            core.noteEnd(
                of: call.request, call.method, error, since: began, isStream: call.stream != nil, on: self)
        } else if let error {
            core.noteFault(error, of: call.request)
        }
    }

    private func remove(_ call: Call) {
        calls[call.key] = nil
        closeIfDone()
    }
}

extension Result where Failure == RPCError {
    fileprivate var error: RPCError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

extension RPCError {
    fileprivate static let answerNotTaken = overloaded("the caller could not receive the answer", begun: true)
}
