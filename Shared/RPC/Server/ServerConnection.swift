import NIOCore

/// One connection of a server: reads frames, owns the table of calls under way, and enforces every deadline.
///
/// Lives on the event loop. `+Messages` handles messages, `+Calls` their calls, `+Answers` the outcomes, `+Room` bounds
/// unread answers, `+Deadlines` enforces every time limit; `FrameWriter` decides how bytes are written.
final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let core: ServerCore
    let channel: any Channel
    let transport: Transport
    var writer: FrameWriter { transport.writer }
    let loop: any EventLoop

    var phase = ConnectionPhase.fresh
    var calls: [Call.Key: Call] = [:]
    var notificationsSeen = 0

    /// For notifications of the protocol: cancellations of unknown calls, and grants for unknown streams. Each request explains
    /// a cancellation that arrives after its answer, each item of a stream a grant.
    var withoutEffect = NoEffectAllowance()

    var peer: PeerCredentials?
    var saidHello = false

    /// The client's name from `rpc.hello`, if it has sent one.
    var clientName: String?

    /// Answers of batches that take several frames, and their deadlines.
    var batchesOnTheirWay: [ObjectIdentifier: (message: OutgoingMessage, deadline: NIODeadline)] = [:]

    /// The calls that wait for their turn, and whether the connection is queued for one.
    var waiting = LazyQueue<Call> { $0.isAnswered }
    var hasTurn = false

    /// Whether received messages are left for a later turn.
    private var readsLater = false

    /// Whether the peer has shut down its sending side.
    private var isInputClosed = false

    // Of `+Deadlines`.

    let timer: DeadlineTimer
    var deadlines = DeadlineQueue<Call.Key>()

    /// While draining with nothing under way: until when the server waits for the client to close. Each message that
    /// arrives restarts this time, because its sender had not read `rpc.draining` yet.
    var lingersUntil: NIODeadline?

    // Of `+Room`.

    /// Bytes of answers in incomplete batches.
    var batchBytes = 0

    /// This connection's share of the process's total.
    var countedBytes = 0

    /// How many answers were written since the queue was last below its limit.
    var answersWithoutRoom = 0
    var waitingForRoom: [() -> Void] = []
    var waitingForLargeRoom: [LargeWait] = []

    init(_ channel: any Channel, core: ServerCore) {
        self.channel = channel
        self.core = core
        loop = core.executor.loop
        transport = Transport(channel: channel, executor: core.executor, limits: core.limits)
        timer = DeadlineTimer(on: core.executor)
        transport.whenParsed = { [weak self] in
            if let self { core.executor.turn { self.read() } }
        }
        transport.budget.end = { [weak self] error in
            if let self, isReading { reject(error) }
        }
        timer.whenDue = { [weak self] in self?.enforceDeadlines(now: $0) ?? .distantFuture }
        writer.whenWritten = { [weak self] in
            self?.countAnswers()
            self?.offerRoom()
        }
        writer.whenBlocked = { [weak self] _ in self?.watchBlockedPeer() }
    }

    // MARK: Channel events

    func channelActive(context: ChannelHandlerContext) {
        guard core.admit(self) else {
            if core.mayRefuse(self) { reject(.overloaded("too many connections")) } else { close() }
            return
        }
        channel.peerCredentials(includingGroups: core.peers.dependOnGroups).assumeIsolated().whenSuccess { peer in
            self.peer = peer
            guard let peer, self.core.peers.include(peer) else {
                let who = peer.map { "user \($0.user)" } ?? "an unknown user"
                return self.reject(RPCError(.permissionDenied, "this socket is not for \(who)", begun: false))
            }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if case .discarding(let left, let until) = phase {
            let left = left - bytes.readableBytes
            phase = .discarding(bytesLeft: left, until: until)
            if left <= 0 { close() }
            return
        }
        // After the last answer, incoming bytes are discarded.
        guard isReading else { return }
        core.executor.memory.used(bytes.readableBytes)
        transport.append(bytes)
        if transport.isParsing { return }
        if readsLater { return transport.leaveMessages() }
        core.executor.turn { read() }
    }

    /// Reads messages until the turn is over: the rest is read in the next one. So calls that exceed a turn cost no more than
    /// others, and connections take turns. While a long backlog is left, the socket is not read.
    private func read() {
        readsLater = false
        do throws(FrameViolation) {
            while isReading, let received = try transport.next() {
                switch received {
                case .message(let message):
                    let isFirst = isFresh
                    open()
                    try receive(message, isFirst: isFirst)
                case .invalid(let error):
                    open()
                    send(nil, .failure(error))
                case .refused(let error): send(nil, .failure(error))
                }
                if !core.executor.mayRead(), transport.undecodedBytes > 0 { return readLater() }
            }
        } catch {
            reject(error.rpcError)
        }
        if let expiry = transport.nextExpiry { timer.wake(by: expiry) }
        lingersUntil = nil
        endInputIfRead()
        closeIfDone()
    }

    private var isFresh: Bool {
        if case .fresh = phase { return true }
        return false
    }

    /// Leaves the phase in which `rpc.hello` is allowed.
    private func open() {
        if isFresh { phase = .open }
    }

    private func readLater() {
        readsLater = true
        transport.leaveMessages()
        core.executor.enqueue { [weak self] in
            if let self, readsLater { read() }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        isInputClosed = true
        endInputIfRead()
    }

    /// Once everything is read that the peer has sent before it shut down its sending side.
    private func endInputIfRead() {
        guard isInputClosed, !readsLater, !transport.isParsing else { return }
        switch phase {
        case .fresh, .open, .draining:
            phase = .halfClosed
            if transport.isInsideFrame {
                send(nil, .failure(RPCError(.invalidRequest, "the connection ended inside a frame", begun: false)))
            }
            transport.endReading(
                RPCError(.invalidRequest, "the connection ended before an attachment was complete", begun: false))
            closeIfDone()
        case .discarding: close()
        case .halfClosed, .closed: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A lost connection is not reported as a fault.
        close()
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        phase = .closed
        timer.cancel()
        abandonAllCalls()
        transport.end(RPCError(.cancelled, "the connection ended", begun: false))
        batchBytes = 0
        countAnswers()
        offerRoom()
        core.executor.answers.forget(self)
        core.remove(self)
    }

    var isOver: Bool {
        if case .closed = phase { return true }
        return false
    }

    // MARK: Reading

    var isReading: Bool {
        switch phase {
        case .fresh, .open, .draining, .halfClosed: true
        case .discarding, .closed: false
        }
    }

    // MARK: Closing

    /// Sends an error, ends all calls, and closes once the peer had time to receive the error.
    func reject(_ error: RPCError) {
        let deadline = core.executor.readClock() + core.limits.discardTime
        phase = .discarding(bytesLeft: core.limits.discardedBytes, until: deadline)
        abandonAllCalls()
        transport.endReading(error)
        // Messages about unfinished answers precede the error, which is the last message.
        writer.end()
        write { $0.response(id: nil, named(.failure(error))) }
        writer.close(.output)
        timer.wake(by: deadline)
    }

    /// Starts draining.
    func drain() {
        guard isReading else { return }
        phase = .draining
        if saidHello { notify(ProtocolMethods.drainingName) }
        // A stream may never end on its own.
        for call in calls.values where call.stream != nil { abort(call, goingAway) }
        closeIfDone()
    }

    /// Aborts all calls, because the drain time is over.
    func abortAllCalls() {
        for call in calls.values { abort(call, goingAway) }
    }

    var goingAway: RPCError { RPCError(.unavailable, "\(core.identity.name) is shutting down") }

    /// Closes a connection that has nothing under way. A client that was told about the draining may have sent a call
    /// before it read that; the call is still answered, and then the client closes.
    func closeIfDone() {
        guard phase.closesWhenIdle, calls.isEmpty, batchesOnTheirWay.isEmpty, !readsLater,
            !transport.isParsing
        else { return }
        if case .draining = phase, saidHello {
            let now = core.executor.readClock()
            guard let until = lingersUntil else { return linger(until: now + core.limits.discardTime) }
            guard until <= now else { return }
            // If the loop was delayed, calls may have arrived that are not read yet.
            if now - until > Self.promptness { return linger(until: now + Limits.timerStep) }
        }
        phase = .closed
        writer.close(.all)
    }

    private func linger(until deadline: NIODeadline) {
        lingersUntil = deadline
        timer.wake(by: deadline)
    }

    /// A deadline noticed later than this was delayed by other work on the loop.
    private static let promptness = 4 * Limits.timerStep

    func close() {
        phase = .closed
        channel.close(mode: .all, promise: nil)
    }

    /// Ends all calls when their answers cannot be delivered.
    private func abandonAllCalls() {
        for call in calls.values {
            call.abandon()
            note(call, RPCError(.cancelled, "the connection ended"))
        }
        calls.removeAll()
    }
}

/// The phases of a server connection, for reading and closing.
enum ConnectionPhase {
    /// Nothing was received yet, so `rpc.hello` is still allowed.
    case fresh
    case open
    /// The peer has shut down its sending side: calls under way are answered, then the connection closes.
    case halfClosed
    /// The server is draining: new calls are refused, calls under way are answered, then the connection closes.
    case draining
    /// After a violation: the error was sent, and incoming bytes are discarded so that the error is not lost.
    case discarding(bytesLeft: Int, until: NIODeadline)
    case closed

    /// Whether the connection closes as soon as no call is under way.
    var closesWhenIdle: Bool {
        switch self {
        case .halfClosed, .draining: true
        case .fresh, .open, .discarding, .closed: false
        }
    }
}
