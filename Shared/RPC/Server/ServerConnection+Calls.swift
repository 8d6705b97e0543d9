import JSON
import NIOCore

/// From a request to a call under way, and to its end.
extension ServerConnection {
    /// Begins a call that may have bytes beside it.
    func begin(
        _ request: Request, _ attachments: AttachmentNumbers, to destination: Call.Destination
    ) throws(FrameViolation) {
        guard link.features.contains(.bytes) else {
            begin(request, to: destination, collecting: [])
            return
        }
        let numbers: [UInt32]
        do throws(RPCError) {
            numbers = try attachments.read()
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
            watch(call)
            if case .batch(let batch, _, _) = destination {
                batch.deadline = max(batch.deadline ?? call.deadline, call.deadline)
            }
            if numbers.isEmpty { core.submit(call) }
            return call
        } catch {
            core.countRefused(request, error.kind, on: self)
            deliver(.failure(error), to: destination)
            return nil
        }
    }

    /// An answer with an id that is under way would end the call that has it.
    func unlessUnderWay(_ id: RequestID) -> RequestID? { calls[.id(id)] == nil ? id : nil }

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
        guard calls.count < core.limits.callsPerConnection else { throw .overloaded("too many calls under way") }
        guard core.callsUnderWay < core.limits.callsPerProcess else {
            core.press()
            throw .overloaded("too many calls under way")
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

    /// What a call stores of its request; large parameters are counted while the call lasts.
    private func holding(_ request: Request) throws(RPCError) -> Request {
        guard request.params.heldBytes == 0 || link.budget.take(request.params.heldBytes) else {
            throw .overloaded("too many large requests under way")
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
            if isAnswered {
                core.failed(call, error)
                return remove(call)
            }
        }
        finish(call, .failure(error))
    }

    /// Answers a call; it is over when the answer is out.
    func finish(_ call: Call, _ outcome: Result<Reply, RPCError>) {
        guard calls[call.key] === call else { return }
        switch outcome {
        case .success: core.count(call, nil)
        case .failure(let error):
            core.count(call, error.kind)
            core.failed(call, error)
        }
        guard let answer = deliver(outcome, to: call.destination, takesAttachments: call.takesAttachments) else {
            return remove(call)
        }
        call.answering(answer)
        answer.whenOver = { [weak self, weak call, unowned answer] outcome in
            guard let self, let call, calls[call.key] === call else { return }
            // A caller that could not take the whole text knows of no answer yet.
            if case .givenUp = outcome, !answer.isTextOut { deliver(.failure(.answerNotTaken), to: call.destination) }
            remove(call)
        }
    }

    private func remove(_ call: Call) {
        guard calls[call.key] === call else { return }
        calls[call.key] = nil
        closeIfDone()
    }
}

extension RPCError {
    fileprivate static let answerNotTaken = overloaded("the caller could not take the answer", begun: true)
}
