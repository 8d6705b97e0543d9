import JSON
import NIOCore

/// One connection of a client: parses messages and dispatches them to the calls that they belong to. Lives on the event
/// loop.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Receives the connection's events.
    let core: ClientCore
    let channel: any Channel
    let transport: Transport

    var openedAt = NIODeadline.distantPast

    /// How many meaningless messages are tolerated on one connection.
    static let toleratedViolations = 4
    private var violations = 0

    /// How many messages may still arrive for calls that this side has ended: their answers, and items that were sent
    /// before the server knew. More are violations, or a flood of them would occupy the loop.
    private var lateMessages = 0

    /// How many messages in parts the server may still abort because this side has ended their calls, and how many it has aborted.
    private var lateAborts = 0
    private var notedAborts = 0

    /// How many notifications without an effect are tolerated in one second. They may be from later versions.
    static let ignoredPerSecond = 100
    private var ignored = (second: NIODeadline.distantPast, count: 0)

    /// Set when the connection is lost while a message is parsed: succeeds when all that was received is read.
    private var ending: EventLoopPromise<Void>?

    /// Succeeds when all that was received is read. For a connection that is closed.
    var hasEnded: EventLoopFuture<Void> { ending?.futureResult ?? channel.eventLoop.makeSucceededVoidFuture() }

    /// Whether the peer has answered as the protocol requires. An error without an id before that refuses the
    /// connection.
    private var hasAnswered = false

    /// Whether the peer has answered `rpc.hello`, also with `method_not_found`.
    private var isGreeted = false

    /// The answer of `rpc.hello`; nil before it arrives, and for a peer that does not implement `rpc.hello`.
    private(set) var greeting: Hello.Answer?

    /// The ids of the client's own requests. Calls have positive ids, probes have negative ones: a peer that was stuck
    /// may read several probes at once, and an id in progress must not be repeated.
    private static let helloID = 0
    private var lastProbeID = 0

    init(_ channel: any Channel, core: ClientCore) {
        self.channel = channel
        self.core = core
        let limits = core.limits
        transport = Transport(channel: channel, executor: core.executor, limits: limits)
        transport.whenParsed = { [weak self] in self?.hasParsed() }
        transport.budget.end = { [weak self] error in
            if let self { self.core.broken(self, .unavailable, error.message) }
        }
        transport.writer.whenWritten = { [weak self] in
            if let self { self.core.hasWritten(self) }
        }
        transport.writer.whenBlocked = { [weak core] since in core?.timer.wake(by: since + limits.writeTimeout) }
    }

    // MARK: Sending

    /// Sends `rpc.hello`. Calls follow its answer, which announces the peer's limits.
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

    /// - Returns: the outgoing message, if the request takes more than one frame.
    /// - Throws: `too_large`; nothing is sent then.
    func send(_ call: ClientCall) throws(RPCError) -> OutgoingMessage? {
        try transport.writer.send(takesAttachments: true) {
            $0.request(
                id: call.id, method: call.method,
                meta: call.options.meta(
                    now: core.executor.readClock(), until: call.deadline, isStream: call.stream != nil)
            ) {
                call.params.write(to: &$0)
            }
        }
    }

    /// Whether the write queue is below its limit.
    var hasRoom: Bool { transport.writer.queuedBytes < core.limits.queuedBytes }

    /// Records that this side has ended a call that the server may still answer.
    func noteEndedHere(_ call: ClientCall) {
        let messages = 1 + (call.stream?.granted ?? 0)
        lateMessages += messages
        lateAborts += messages
    }

    /// Tells the server that the answer is not needed any more.
    func cancel(_ call: ClientCall) {
        noteEndedHere(call)
        for incoming in call.incoming { transport.stop(incoming) }
        if let outgoing = call.outgoing {
            let wasSent = outgoing.isTextOut
            call.outgoing = nil
            transport.writer.giveUp(outgoing, because: .cancelled)
            // The server never received the whole request.
            if !wasSent { return }
        }
        let cancel = Cancel(id: RequestID(call.id))
        notify(ProtocolMethods.cancel.name) { Cancel.codec.write(cancel, &$0) }
    }

    /// Grants the server more items.
    func grant(_ items: Int, to call: ClientCall) {
        let grant = Grant(id: RequestID(call.id), items: items)
        notify(ProtocolMethods.grant.name) { Grant.codec.write(grant, &$0) }
    }

    /// Sends `rpc.ping`.
    func probe() {
        lastProbeID -= 1
        lateMessages += 1
        notify(ProtocolMethods.ping.name, id: lastProbeID) { $0.raw(.emptyObject) }
    }

    private func notify(_ method: String, id: Int? = nil, _ params: (inout JSONWriter) -> Void) {
        do throws(RPCError) {
            try transport.writer.send { $0.request(id: id, method: method, params: params) }
        } catch {
            // These frames have a few dozen bytes, so the peer's limit is unusably small.
            close()
        }
    }

    func close() { channel.close(mode: .all, promise: nil) }

    // MARK: Channel events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        core.reading {
            transport.append(bytes)
            core.heard(self)
            read()
        }
    }

    private func hasParsed() {
        core.reading { read() }
        guard let ending, !transport.isParsing else { return }
        end()
        transport.whenParsed = {}
        ending.succeed()
    }

    private func read() {
        do {
            while channel.isActive || ending != nil, let received = try transport.next() {
                switch received {
                case .message(let message): try receive(message)
                case .invalid(let error): throw error
                // An answer in parts that exceeded our limits. Its transfer was stopped, so the server answers with an
                // error.
                case .refused: break
                }
            }
            try noteAborts()
            if let expiry = transport.nextExpiry { core.timer.wake(by: expiry) }
        } catch {
            let reason = (error as? FrameViolation)?.rpcError.message ?? (error as? RPCError)?.message ?? "\(error)"
            core.broken(self, .invalidData, "protocol violation: \(reason)")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        // What the server sent before it closed the connection still counts.
        guard transport.isParsing else { return end() }
        ending = channel.eventLoop.makePromise()
        // Until then nothing else may hold this connection.
        transport.whenParsed = { self.hasParsed() }
    }

    private func end() {
        core.broken(
            self, .unavailable,
            "the connection was lost during the call"
                + (transport.isInsideFrame ? " (it closed inside a frame)" : " (it closed the connection)"))
        transport.end(RPCError(.unavailable, "\(core.name): the connection ended"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // `channelInactive` follows and reports the end of the connection.
        close()
    }

    // MARK: Receiving

    private func receive(_ message: IncomingMessage) throws {
        switch message {
        case .response(let response): try receive(response)
        case .single(let call):
            if let fault = call.faultAsAnswer { return try receive(call, fault: fault) }
            switch call.content {
            case .request(let request): try receive(request, call.attachments)
            // This may have been meant as an answer, but it is unknown to which call.
            case .failure(let error): throw error
            }
        case .batch: throw RPCError(.invalidRequest, "an answer to no request")
        }
    }

    /// Fails the call that an invalid answer belongs to.
    private func receive(_ call: IncomingCall, fault: String) throws {
        guard case .to(let id) = call.answer, let id = id.number, id != Self.helloID else {
            throw RPCError(.invalidRequest, fault)
        }
        hasAnswered = true
        try transport.refuse(attachments(of: call.attachments))
        core.complete(
            id, .failure(RPCError(.invalidData, "\(core.name): protocol violation: \(fault)")))
        try violated(fault)
    }

    /// Counts a message that has no meaning here but does not affect other calls.
    /// - Throws: after more than `toleratedViolations`.
    private func violated(_ fault: String) throws(RPCError) {
        violations += 1
        if violations > Self.toleratedViolations { throw RPCError(.invalidRequest, fault) }
    }

    /// Ignores a message for a call that this side has ended.
    /// - Throws: after more than `toleratedViolations` that no call explains.
    private func ignoreLate(_ fault: String) throws(RPCError) {
        guard lateMessages > 0 else { return try violated(fault) }
        lateMessages -= 1
    }

    /// Ignores aborted messages.
    /// - Throws: for too many that no call explains.
    private func noteAborts() throws(RPCError) {
        while notedAborts < transport.abortedMessages {
            notedAborts += 1
            if lateAborts > 0 { lateAborts -= 1 } else { try ignore() }
        }
    }

    /// Ignores a message without an effect.
    /// - Throws: after more than `ignoredPerSecond`.
    private func ignore() throws(RPCError) {
        let now = core.executor.readClock()
        if now - ignored.second >= .seconds(1) { ignored = (now, 0) }
        ignored.count += 1
        guard ignored.count <= Self.ignoredPerSecond else {
            throw RPCError(.invalidRequest, "too many notifications that have no effect")
        }
    }

    /// Servers send notifications only. Unknown ones are from later versions and are ignored.
    private func receive(_ notification: Request, _ numbers: AttachmentNumbers) throws {
        switch notification.method {
        case ProtocolMethods.drainingName:
            try ignore()
            core.isDraining(self)
        case ProtocolMethods.itemName:
            let item = try notification.params.read(as: StreamItem.codec)
            try receive(item, beside: attachments(of: numbers))
        default:
            try transport.refuse(attachments(of: numbers))
            try ignore()
        }
    }

    private func receive(_ item: StreamItem, beside numbers: [UInt32]) throws {
        let call = item.id.number.flatMap(core.call)
        guard let call, let stream = call.stream else {
            try transport.refuse(numbers)
            let fault = "an item for a stream that does not exist"
            // The item may have been sent before the stream was cancelled.
            let mayBeLate = call == nil && item.id.number.map(core.hasSent) == true
            return try mayBeLate ? ignoreLate(fault) : violated(fault)
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
        case (Self.helloID, let outcome) where !isGreeted: try greeted(outcome)
        case (let id?, _) where id < 0 && id >= lastProbeID: try ignoreLate("an answer to no request")
        case (let id?, _) where !core.hasSent(id):
            try transport.refuse(numbers)
            try violated("an answer to no request")
        case (let id?, _) where core.call(id) == nil:
            hasAnswered = true
            try transport.refuse(numbers)
            try ignoreLate("a second answer to a request")
        case (let id?, .success(let result)):
            hasAnswered = true
            guard !numbers.isEmpty, let call = core.call(id) else {
                return core.complete(id, .success(Payload(result)))
            }
            try collect(numbers, for: call) { [weak core] in
                core?.complete(id, $0.map { Payload(result, attachments: $0) })
            }
        case (let id?, .failure(let error)):
            hasAnswered = true
            try transport.refuse(numbers)
            core.complete(id, .failure(error))
        case (nil, .failure(let error)) where !hasAnswered: core.refused(self, error)
        // A request in parts that the server stopped; stopping its transfer has ended the call.
        case (nil, .failure(let error)) where error.kind == .overloaded || error.kind == .tooLarge: try ignore()
        // The server read something other than what was sent, so calls may be sent again.
        case (nil, .failure(let error)) where error.kind == .invalidRequest:
            core.broken(self, .unavailable, "it could not read what was sent: \(error.message)")
        case (nil, .failure(let error)): throw error
        case (nil, .success): throw RPCError(.invalidRequest, "an answer without an id")
        }
    }

    private func greeted(_ outcome: Result<RawJSON, RPCError>) throws {
        isGreeted = true
        switch outcome {
        case .success(let result):
            let greeting = try result.read(as: ProtocolMethods.hello.answer)
            if let reason = core.unfit(greeting) {
                return core.refused(self, core.unavailable(reason, begun: false), isIncompatible: true)
            }
            transport.writer.keep(
                toFrames: greeting.limits.frameBytes, transfers: greeting.limits.openTransfers,
                assembledBytes: greeting.limits.assembledBytes)
            transport.features = core.features.intersection(Features(names: greeting.features))
            self.greeting = greeting
        case .failure(let error):
            // A plain JSON-RPC peer does not implement `rpc.hello`.
            guard error.kind == .methodNotFound else {
                let (reason, isIncompatible) = core.refusal(of: error)
                return core.refused(
                    self, core.unavailable(reason, begun: false), isIncompatible: isIncompatible)
            }
        }
        hasAnswered = true
        core.isGreeted(self)
    }

    // MARK: Attachments

    /// Without the feature, the member is ignored.
    private func attachments(of numbers: AttachmentNumbers) throws(RPCError) -> [UInt32] {
        transport.features.contains(.bytes) ? try numbers.read() : []
    }

    private func collect(
        _ numbers: [UInt32], for call: ClientCall, _ whenDone: @escaping (Result<[Attachment], RPCError>) -> Void
    ) throws(FrameViolation) {
        guard !numbers.isEmpty else { return }
        // Receiving attachments may fail with errors that, for a request, mean that no handler has begun.
        call.noteBegun()
        let budget = transport.budget
        let incoming = IncomingAttachments(numbers, areChecked: call.checksAttachments) { [weak call] result in
            call?.incoming.removeAll { $0.numbers == numbers }
            // From here on, the caller owns the attachments.
            if case .success(let attachments) = result { budget.release(attachments.reduce(0) { $0 + $1.data.count }) }
            whenDone(result.mapError(\.whenBegun))
        }
        call.incoming.append(incoming)
        try transport.receive(incoming)
    }
}
