import NIOCore

/// From a message to calls.
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
                try refuse(call.attachments)
                let (answer, features) = isFirst ? greet(request) : (.failure(.lateHello), link.features)
                if let id { send(unlessUnderWay(id), answer) }
                link.features = features
            } else {
                try begin(request, call.attachments, to: id.map(Call.Destination.message) ?? .nowhere)
            }
        }
    }

    private func receive(_ members: [IncomingCall]) throws(FrameViolation) {
        let answering = members.filter { $0.answer != .none }
        let batch = Batch(count: answering.count, limit: outbox.frameLimit)
        var slot = 0
        for member in members {
            let hasAttachments = try refuse(member.attachments)
            guard member.answer != .none else {
                if case .request(let request) = member.content, !hasAttachments {
                    try begin(request, member.attachments, to: .nowhere)
                }
                continue
            }
            defer { slot += 1 }
            switch (member.content, member.answer.id) {
            case (.request, let id?) where hasAttachments:
                add(.failure(.attachmentsInBatch), for: unlessUnderWay(id), to: batch, at: slot)
            case (.failure(let error), let id):
                add(.failure(error), for: id.flatMap(unlessUnderWay), to: batch, at: slot)
            case (.request(let request), let id?) where request.method == ProtocolMethods.hello.name:
                add(.failure(.lateHello), for: unlessUnderWay(id), to: batch, at: slot)
            case (.request(let request), let id?):
                try begin(request, member.attachments, to: .batch(batch, slot: slot, id))
            case (.request, nil): break
            }
        }
    }

    /// Does not want what comes beside a message that is no call.
    /// - Returns: whether anything comes.
    @discardableResult
    private func refuse(_ attachments: AttachmentNumbers) throws(FrameViolation) -> Bool {
        guard link.features.contains(.bytes) else { return false }
        let numbers: [UInt32]
        do throws(RPCError) {
            numbers = try attachments.read()
        } catch {
            // Numbers that make no sense announce nothing.
            return false
        }
        try link.refuse(numbers)
        return !numbers.isEmpty
    }
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

    fileprivate static let attachmentsInBatch = RPCError(
        .invalidRequest, "attachments: a member of a batch cannot have any; send it as a message of its own",
        begun: false)
}
