import NIOCore

/// One connection of a client: frames to messages, messages to whom they are for. Lives on the event loop.
final class ClientConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Who is told what happens on the connection.
    let core: ClientCore
    let channel: any Channel
    let outbox: Outbox

    private var decoder: FrameDecoder

    /// Whether the peer has ever answered as a peer does: only then is losing it no failure to connect.
    private(set) var hasAnswered = false

    /// The answer of `rpc.hello`, once it is there; stays nil for a peer that knows no hello.
    private(set) var greeting: Hello.Answer?

    /// The id of `rpc.hello`; calls have positive numbers.
    private static let helloID = 0

    init(_ channel: any Channel, core: ClientCore) {
        self.channel = channel
        self.core = core
        outbox = Outbox(channel: channel, executor: core.executor, frameLimit: core.limits.frameBytes)
        decoder = FrameDecoder(limit: core.limits.frameBytes)
    }

    /// Sends the greeting. Calls may follow at once: what they need of its answer has defaults.
    func greet(as client: Hello.Client) throws(RPCError) {
        let hello = Hello.Request(
            protocols: Hello.protocols, client: client, features: [],
            limits: Hello.ClientLimits(frameBytes: core.limits.frameBytes))
        try outbox.send {
            $0.request(id: Self.helloID, method: ProtocolMethods.hello.name) {
                ProtocolMethods.hello.params.write(hello, &$0)
            }
        }
    }

    /// - Throws: `too_large`, and nothing is sent.
    func send(_ call: PendingCall, id: Int) throws(RPCError) {
        try outbox.send {
            $0.request(id: id, method: call.method, meta: call.options.meta(now: .now()), params: call.writeParams)
        }
    }

    /// Tells the server that nobody waits for the answer any more.
    func cancel(id: Int) {
        let cancel = Cancel(id: RequestID(id))
        // A frame of some dozen bytes is over no limit.
        try? outbox.send {
            $0.request(id: nil, method: ProtocolMethods.cancel.name) { Cancel.shape.write(cancel, &$0) }
        }
    }

    func close() { channel.close(mode: .all, promise: nil) }

    // MARK: Channel events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        decoder.append(unwrapInboundIn(data))
        do {
            while let frame = try decoder.next() { try receive(frame) }
        } catch let violation as FrameViolation {
            core.broken(self, .invalidData, "it does not keep to the protocol: \(violation.rpcError.message)")
        } catch let error as RPCError {
            core.broken(self, .invalidData, "it does not keep to the protocol: \(error.message)")
        } catch {
            core.broken(self, .invalidData, "it does not keep to the protocol: \(error)")
        }
        core.executor.runReadyTasks()
    }

    func channelInactive(context: ChannelHandlerContext) {
        core.broken(
            self, .unavailable,
            "it went away while it worked on the call"
                + (decoder.isInsideFrame ? " (it closed inside a frame)" : " (it closed the connection)"))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Whatever it was, the end of the connection follows and is reported there.
        close()
    }

    private func receive(_ frame: Frame) throws {
        switch try MessageParser.parse(frame.payload) {
        case .response(let response):
            try receive(response)
        case .single(let call):
            switch call.content {
            case .request(let request):
                if request.method == ProtocolMethods.drainingName { core.isDraining(self) }
            // What was meant to be an answer, perhaps: whose, nobody can know.
            case .failure(let error): throw error
            }
        case .batch: throw RPCError(.invalidRequest, "an answer that nobody asked for")
        }
    }

    private func receive(_ response: Response) throws {
        switch (response.id?.number, response.outcome) {
        case (Self.helloID, .success(let result)):
            let greeting = try result.read(as: ProtocolMethods.hello.answer)
            outbox.frameLimit = min(core.limits.frameBytes, greeting.limits.frameBytes)
            self.greeting = greeting
            hasAnswered = true
            core.isGreeted(self, greeting)
        case (Self.helloID, .failure(let error)):
            // A plain peer knows no hello and is a good peer all the same.
            if error.kind == .methodNotFound {
                hasAnswered = true
            } else {
                core.refused(self, RPCError(.unavailable, "\(core.path): \(error.message)", begun: false))
            }
        case (let id?, let outcome):
            hasAnswered = true
            core.complete(id, outcome)
        case (nil, .failure(let error)) where !hasAnswered: core.refused(self, error)
        case (nil, .failure(let error)): throw error
        case (nil, .success): throw RPCError(.invalidRequest, "an answer without an id")
        }
    }
}
