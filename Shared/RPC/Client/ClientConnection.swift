import JSON
import NIOCore

/// One connection of a client: frames to messages, messages to whom they are for. Lives on the event loop.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Who is told what happens on the connection.
    let core: ClientCore
    let channel: any Channel
    let transport: Transport

    /// When it came about.
    var openedAt = NIODeadline.distantPast

    /// How many messages without a meaning are tolerated on one connection.
    static let toleratedViolations = 4
    private var violations = 0

    /// Whether the peer has ever answered as a peer does: only then is losing it no failure to connect.
    private(set) var hasAnswered = false

    /// The answer of `rpc.hello`; nil before, and for a peer that knows no hello.
    private(set) var greeting: Hello.Answer?

    /// The ids of our own requests; calls have positive numbers, signs of life that were asked for negative ones: a peer
    /// that was stuck may find several of them at once, and an id that is under way must not come again.
    private static let helloID = 0
    private var lastProbeID = 0

    init(_ channel: any Channel, core: ClientCore) {
        self.channel = channel
        self.core = core
        let limits = core.limits
        transport = Transport(channel: channel, executor: core.executor, limits: limits)
        transport.writer.whenWritten = { [weak self] in
            if let self { self.core.hasWritten(self) }
        }
        transport.writer.whenBlocked = { [weak core] since in core?.timer.wake(by: since + limits.writeTimeout) }
    }

    // MARK: Sending

    /// Sends the greeting. Calls follow once it is answered: then it is known what the peer can take.
    func greet(as client: Hello.Client) throws(RPCError) {
        let hello = Hello.Request(
            protocols: Hello.protocols, client: client, features: core.features.names,
            limits: Hello.ClientLimits(core.limits))
        try transport.writer.send {
            $0.request(id: Self.helloID, method: ProtocolMethods.hello.name) {
                ProtocolMethods.hello.params.write(hello, &$0)
            }
        }
    }

    /// - Returns: what stands for a request that takes its time.
    /// - Throws: `too_large`, and nothing is sent.
    func send(_ call: ClientCall) throws(RPCError) -> OutgoingMessage? {
        try transport.writer.send(takesAttachments: true) {
            $0.request(
                id: call.id, method: call.method,
                meta: call.options.meta(now: channel.eventLoop.now, isStream: call.stream != nil)
            ) {
                call.params.write(to: &$0)
            }
        }
    }

    /// Whether a request would leave soon.
    var hasRoom: Bool { transport.writer.queuedBytes < core.limits.queuedBytes }

    /// Tells the server that nobody waits for the answer any more.
    func cancel(_ call: ClientCall) {
        for incoming in call.incoming { transport.stop(incoming) }
        if let outgoing = call.outgoing {
            let wasSent = outgoing.isTextOut
            call.outgoing = nil
            transport.writer.giveUp(outgoing, because: .cancelled)
            // The server never saw it whole.
            if !wasSent { return }
        }
        let cancel = Cancel(id: RequestID(call.id))
        notify(ProtocolMethods.cancel.name) { Cancel.codec.write(cancel, &$0) }
    }

    /// Lets the server send more items.
    func grant(_ items: Int, to call: ClientCall) {
        let grant = Grant(id: RequestID(call.id), items: items)
        notify(ProtocolMethods.grant.name) { Grant.codec.write(grant, &$0) }
    }

    /// Asks for a sign of life.
    func probe() {
        lastProbeID -= 1
        notify(ProtocolMethods.ping.name, id: lastProbeID) { $0.raw(.emptyObject) }
    }

    private func notify(_ method: String, id: Int? = nil, _ params: (inout JSONWriter) -> Void) {
        do throws(RPCError) {
            try transport.writer.send { $0.request(id: id, method: method, params: params) }
        } catch {
            // A frame of some dozen bytes: only a peer that takes next to nothing at all is too small for it.
            close()
        }
    }

    func close() { channel.close(mode: .all, promise: nil) }

    // MARK: Channel events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        core.reading { read(bytes) }
    }

    private func read(_ bytes: ByteBuffer) {
        transport.append(bytes)
        core.heard(self)
        do {
            while channel.isActive, let received = try transport.next() {
                switch received {
                case .message(let text): try receive(text)
                // An answer in parts that was too much for us: its server, told to stop, answers with an error.
                case .refused(let error) where error.kind != .parseError: break
                case .refused(let error): throw error
                }
            }
            if let expiry = transport.nextExpiry { core.timer.wake(by: expiry) }
        } catch {
            let reason = (error as? FrameViolation)?.rpcError.message ?? (error as? RPCError)?.message ?? "\(error)"
            core.broken(self, .invalidData, "it does not keep to the protocol: \(reason)")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        core.broken(
            self, .unavailable,
            "it went away while it worked on the call"
                + (transport.isInsideFrame ? " (it closed inside a frame)" : " (it closed the connection)"))
        transport.end(RPCError(.unavailable, "\(core.name): the connection ended"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Whatever it was, the end of the connection follows and is reported there.
        close()
    }

    // MARK: Receiving

    private func receive(_ text: ByteBuffer) throws {
        switch try MessageParser.parse(text) {
        case .response(let response): try receive(response)
        case .single(let call):
            if let fault = call.faultAsAnswer { return try receive(call, fault: fault) }
            switch call.content {
            case .request(let request): try receive(request, call.attachments)
            // What was meant to be an answer, perhaps: whose, nobody can know.
            case .failure(let error): throw error
            }
        case .batch: throw RPCError(.invalidRequest, "an answer that nobody asked for")
        }
    }

    /// An answer that cannot be understood ends the call that it is for.
    private func receive(_ call: IncomingCall, fault: String) throws {
        guard case .to(let id) = call.answer, let id = id.number, id != Self.helloID else {
            // It cannot be matched to a call.
            throw RPCError(.invalidRequest, fault)
        }
        hasAnswered = true
        try transport.refuse(attachments(of: call.attachments))
        core.complete(
            id, .failure(RPCError(.invalidData, "\(core.name): it does not keep to the protocol: \(fault)")))
        try violated(fault)
    }

    /// The peer has sent what means nothing, but harms no other call.
    /// - Throws: when it has done so too often.
    private func violated(_ fault: String) throws(RPCError) {
        violations += 1
        if violations > Self.toleratedViolations { throw RPCError(.invalidRequest, fault) }
    }

    /// Servers send notifications only. Those of later versions mean nothing here.
    private func receive(_ notification: Request, _ numbers: AttachmentNumbers) throws {
        switch notification.method {
        case ProtocolMethods.drainingName: core.isDraining(self)
        case ProtocolMethods.itemName:
            let item = try notification.params.read(as: StreamItem.codec)
            try receive(item, beside: attachments(of: numbers))
        default: try transport.refuse(attachments(of: numbers))
        }
    }

    private func receive(_ item: StreamItem, beside numbers: [UInt32]) throws {
        let call = item.id.number.flatMap(core.call)
        guard let call, let stream = call.stream else {
            try transport.refuse(numbers)
            // A stream may have been cancelled while the item was on its way.
            let isLate = call == nil && item.id.number.map(core.hasSent) == true
            if !isLate { try violated("an item for a stream that does not exist") }
            return
        }
        call.noteBegun()
        guard let put = stream.receive(numbers.isEmpty ? Payload(item.item) : nil) else {
            throw RPCError(.invalidRequest, "more items than were granted")
        }
        try collect(numbers, for: call) { [weak core] result in
            switch result {
            case .success(let attachments): put(Payload(item.item, attachments: attachments))
            case .failure(let error): core?.end(call, .failure(error))
            }
        }
    }

    private func receive(_ response: Response) throws {
        let numbers = try attachments(of: response.attachments)
        switch (response.id?.number, response.outcome) {
        case (Self.helloID, let outcome): try greeted(outcome)
        case (let id?, _) where id < 0 && id >= lastProbeID: break
        case (let id?, _) where !core.hasSent(id):
            try transport.refuse(numbers)
            try violated("an answer that nobody asked for")
        case (let id?, .success(let result)):
            hasAnswered = true
            guard !numbers.isEmpty else { return core.complete(id, .success(Payload(result))) }
            guard let call = core.call(id) else { return try transport.refuse(numbers) }
            try collect(numbers, for: call) { [weak core] in
                core?.complete(id, $0.map { Payload(result, attachments: $0) })
            }
        case (let id?, .failure(let error)):
            hasAnswered = true
            try transport.refuse(numbers)
            core.complete(id, .failure(error))
        case (nil, .failure(let error)) where !hasAnswered: core.refused(self, error)
        // A request in parts, whose call has ended with the stop of its number.
        case (nil, .failure(let error)) where error.kind == .overloaded || error.kind == .tooLarge: break
        // It has read something else than we have sent: what was sent may be sent again.
        case (nil, .failure(let error)) where error.kind == .invalidRequest:
            core.broken(self, .unavailable, "it could not read what was sent: \(error.message)")
        case (nil, .failure(let error)): throw error
        case (nil, .success): throw RPCError(.invalidRequest, "an answer without an id")
        }
    }

    private func greeted(_ outcome: Result<RawJSON, RPCError>) throws {
        switch outcome {
        case .success(let result):
            let greeting = try result.read(as: ProtocolMethods.hello.answer)
            transport.writer.keep(
                toFrames: greeting.limits.frameBytes, transfers: greeting.limits.openTransfers,
                assembledBytes: greeting.limits.assembledBytes)
            transport.features = core.features.intersection(Features(names: greeting.features))
            self.greeting = greeting
        case .failure(let error):
            // A plain peer knows no hello and is a good peer all the same.
            guard error.kind == .methodNotFound else {
                return core.refused(self, core.unavailable(error.message, begun: false))
            }
        }
        hasAnswered = true
        core.isGreeted(self)
    }

    // MARK: Attachments

    /// Without the feature, the member means nothing.
    private func attachments(of numbers: AttachmentNumbers) throws(RPCError) -> [UInt32] {
        transport.features.contains(.bytes) ? try numbers.read() : []
    }

    private func collect(
        _ numbers: [UInt32], for call: ClientCall, _ whenDone: @escaping (Result<[Attachment], RPCError>) -> Void
    ) throws(FrameViolation) {
        guard !numbers.isEmpty else { return }
        // What stands beside an answer may fail in ways that, beside a request, mean that nothing has begun.
        call.noteBegun()
        let budget = transport.budget
        let incoming = IncomingAttachments(numbers, areChecked: call.checksAttachments) { [weak call] result in
            call?.incoming.removeAll { $0.numbers == numbers }
            // From here on they are their caller's.
            if case .success(let attachments) = result { budget.release(attachments.reduce(0) { $0 + $1.data.count }) }
            whenDone(result.mapError(\.whenBegun))
        }
        call.incoming.append(incoming)
        try transport.receive(incoming)
    }
}
