import JSON
import NIOCore

/// Turns messages into calls.
extension ServerConnection {
    func receive(_ message: IncomingMessage, isFirst: Bool) throws(FrameViolation) {
        switch message {
        case .single(let call): try receive(call, isFirst: isFirst)
        case .batch(let members): try receive(members)
        case .response(let response):
            try refuse(response.attachments)
            send(nil, .failure(RPCError(.invalidRequest, "a response was sent to a server", begun: false)))
        }
    }

    private func receive(_ call: IncomingCall, isFirst: Bool) throws(FrameViolation) {
        switch (call.content, call.answer) {
        case (.failure(let error), let answer):
            try refuse(call.attachments)
            if answer != .none { send(answer.id.flatMap(unlessUnderWay), .failure(error)) }
        case (.request(let request), let answer):
            let (method, id) = (core.methods[request.method], answer.id)
            guard method === core.methods.hello else {
                return try begin(
                    request, of: method, call.attachments, to: id.map(Call.Destination.message) ?? .nowhere)
            }
            try refuse(call.attachments)
            let (answer, features) = isFirst ? greet(request) : (.failure(.lateHello), transport.features)
            if let id { send(unlessUnderWay(id), answer) }
            transport.features = features
        }
    }

    private func receive(_ members: [IncomingCall]) throws(FrameViolation) {
        let answering = members.filter { $0.answer != .none }
        let batch = Batch(count: answering.count, limit: writer.frameLimit)
        var slot = 0
        for member in members {
            let hasAttachments = try refuse(member.attachments)
            guard member.answer != .none else {
                if case .request(let request) = member.content, !hasAttachments {
                    try begin(request, of: core.methods[request.method], member.attachments, to: .nowhere)
                }
                continue
            }
            defer { slot += 1 }
            let id = member.answer.id
            let fault: RPCError
            switch member.content {
            case .failure(let error): fault = error
            case .request where hasAttachments: fault = .attachmentsInBatch
            case .request(let request):
                let method = core.methods[request.method]
                if method !== core.methods.hello, let id {
                    try begin(request, of: method, member.attachments, to: .batch(batch, slot: slot, id))
                    continue
                }
                fault = .lateHello
            }
            add(.failure(fault), for: id.flatMap(unlessUnderWay), to: batch, at: slot)
        }
        // It may have taken as long as a hundred messages.
        core.executor.readClock()
    }

    /// Refuses the attachments of a message that is not a call.
    /// - Returns: whether there are any.
    @discardableResult
    private func refuse(_ attachments: AttachmentNumbers) throws(FrameViolation) -> Bool {
        guard transport.features.contains(.bytes) else { return false }
        let numbers: [UInt32]
        do throws(RPCError) {
            numbers = try attachments.read()
        } catch {
            // Invalid numbers announce no attachments.
            return false
        }
        try transport.refuse(numbers)
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

extension ServerConnection {
    /// Negotiates with a client. The features apply from the answer on.
    func greet(_ request: Request) -> (answer: Result<Reply, RPCError>, features: Features) {
        let hello: Hello.Request
        do throws(JSONError) {
            // Unknown members come from later versions and are ignored.
            try request.params.mustBeSmall()
            hello = try request.params.read(as: ProtocolMethods.hello.params)
        } catch {
            return (.failure(RPCError(invalidParams: error)), [])
        }
        guard let version = hello.protocols.filter(Hello.protocols.contains).max() else {
            let versions = Hello.Versions(client: hello.protocols, server: Hello.protocols)
            let error = RPCError(
                .invalidRequest, "no common protocol version: this server speaks \(Hello.protocols)", begun: false,
                details: RawJSON(versions, as: Hello.Versions.codec))
            return (.failure(error), [])
        }
        saidHello = true
        clientName = hello.client?.name
        writer.keep(
            toFrames: hello.limits?.frameBytes, transfers: hello.limits?.openTransfers,
            assembledBytes: hello.limits?.assembledBytes)
        let features = Features.supported.intersection(Features(names: hello.features ?? []))
        let answer = Hello.Answer(
            protocol: version, service: core.identity,
            contracts: Dictionary(core.contracts.map { ($0.name, $0.version) }, uniquingKeysWith: max),
            features: features.names, limits: core.limits)
        return (.success(Reply(answer, as: Hello.Answer.codec)), features)
    }
}
