import NIOCore

/// One connection of a server: reads frames, owns the table of calls under way, and enforces every deadline.
///
/// Lives on the event loop. `+Messages` handles messages, `+Calls` their calls, `+Answers` the outcomes; `FrameWriter`
/// decides how bytes are written.
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
    var peer: PeerCredentials?
    var saidHello = false

    /// The client's name from `rpc.hello`, if it has sent one.
    var clientName: String?

    /// Answers of batches that take several frames, and their deadlines.
    var batchesOnTheirWay: [ObjectIdentifier: (message: OutgoingMessage, deadline: NIODeadline)] = [:]

    let timer: DeadlineTimer
    private var deadlines = DeadlineQueue<Call.Key>()
    private var waitingForRoom: [() -> Void] = []

    /// How many answers were written since the queue was last below its limit.
    var answersWithoutRoom = 0
    private var waitingForLargeRoom: [LargeWait] = []

    /// The calls that wait for their turn.
    var line = CallLine()

    /// Bytes of answers in incomplete batches.
    var batchBytes = 0

    /// This connection's share of the process's total.
    private var countedBytes = 0

    /// Whether received messages are left for a later turn.
    private var readsLater = false

    /// While draining with nothing under way: until when the server waits for the client to close. Each message that
    /// arrives restarts this time, because its sender had not read `rpc.draining` yet.
    private var lingersUntil: NIODeadline?

    init(_ channel: any Channel, core: ServerCore) {
        self.channel = channel
        self.core = core
        loop = core.executor.loop
        transport = Transport(channel: channel, executor: core.executor, limits: core.limits)
        timer = DeadlineTimer(on: core.executor.loop)
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
            reject(.overloaded("too many connections"))
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
        if readsLater, transport.undecodedBytes <= Self.longestBacklog { return }
        core.executor.turn { read() }
    }

    /// Reads messages until the turn is over: the rest is read in the next one. So calls that exceed a turn cost no more than
    /// others, and connections take turns. A connection with a long backlog reads all of it, and its calls wait as `Call`s,
    /// which the limits bound.
    private func read() {
        let isPatient = transport.undecodedBytes <= Self.longestBacklog
        readsLater = false
        do throws(FrameViolation) {
            while isReading, let received = try transport.next() {
                switch received {
                case .message(let text): try receive(text)
                case .refused(let error): send(nil, .failure(error))
                }
                if isPatient, core.executor.isTurnOver, transport.undecodedBytes > 0 { return readLater() }
            }
        } catch {
            reject(error.rpcError)
        }
        if let expiry = transport.nextExpiry { timer.wake(by: expiry) }
        lingersUntil = nil
        closeIfDone()
    }

    private func readLater() {
        readsLater = true
        core.executor.enqueue { [weak self] in
            if let self, readsLater { read() }
        }
    }

    /// The most bytes that wait to be read in a later turn.
    private static let longestBacklog = 512 * 1_024

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        while readsLater { core.executor.turn { read() } }
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

    // MARK: Room for answers

    /// Bytes of answers that are unsent or wait for the rest of their batch.
    private var heldAnswers: Int { writer.queuedBytes + batchBytes }

    /// Whether one more handler may start. True for a closed connection, because its answers are dropped.
    var hasRoom: Bool { isOver || heldAnswers < core.limits.queuedBytes && hasShare(heldAnswers) }

    /// Whether the process is below its limit for answers, or this connection holds little of that total: peers that do
    /// not read must not block the others.
    private func hasShare(_ bytes: Int) -> Bool {
        core.executor.answers.bytes < core.limits.queuedBytesPerProcess || bytes < Limits.chunkBytes
    }

    /// Whether the next waiting call may start: answers are below their limits, or its answer helps to complete a
    /// batch, which frees memory.
    var mayStartNext: Bool {
        guard let call = line.first else { return false }
        if hasRoom { return true }
        if case .batch(let batch, _, _) = call.destination, batch.bytes > 0 { return true }
        core.executor.answers.wait(self)
        return false
    }

    /// Whether a call may start while reading. Calls of a batch start only after all are read: a duplicate id is
    /// refused, and one member may cancel another.
    func mayStartNow(toAnswer destination: Call.Destination) -> Bool {
        if case .batch = destination { return false }
        return line.isEmpty && hasRoom && core.executor.mayStart()
    }

    /// - Parameter resume: called once a handler may start or the connection has closed; possibly at once.
    func whenRoom(_ resume: @escaping () -> Void) {
        waitingForRoom.append(resume)
        offerRoom()
    }

    /// Updates this connection's share of the process's total.
    func countAnswers() {
        let held = isOver ? 0 : heldAnswers
        guard held != countedBytes else { return }
        let (total, limit) = (core.executor.answers, core.limits.queuedBytesPerProcess)
        let wasBelow = total.bytes < limit
        let change = held - countedBytes
        countedBytes = held
        total.change(by: change, limit: limit)
        if wasBelow, total.bytes >= limit { core.press() }
    }

    func offerRoom() {
        if isOver || writer.queuedBytes < core.limits.queuedBytes { answersWithoutRoom = 0 }
        core.queue.offerTurn(to: self)
        if !waitingForRoom.isEmpty, hasRoom {
            let waiting = waitingForRoom
            waitingForRoom = []
            for resume in waiting { resume() }
        }
        // Resumes all, and each handler checks again; otherwise this would run for each chunk of their answers.
        if !waitingForLargeRoom.isEmpty, hasRoomForLarge(upTo: Self.largeOffer) {
            let waiting = waitingForLargeRoom
            waitingForLargeRoom = []
            for wait in waiting { wait.resume() }
        }
        if !waitingForRoom.isEmpty || !waitingForLargeRoom.isEmpty { core.executor.answers.wait(self) }
    }

    /// Large answers use at most 1/4 of the queue limit; waiting ones resume when at most 1/8 is used. So queued large
    /// answers never make other calls wait.
    private static let largePart = 4
    private static let largeOffer = 8

    /// Whether one more large answer may be added. False while earlier ones wait.
    var hasRoomForLarge: Bool { waitingForLargeRoom.isEmpty && hasRoomForLarge(upTo: Self.largePart) }

    /// Incomplete batches do not count: a member would wait for its own batch forever.
    private func hasRoomForLarge(upTo part: Int) -> Bool {
        isOver || writer.queuedBytes <= core.limits.queuedBytes / part && hasShare(writer.queuedBytes)
    }

    /// A handler that waits to add a large answer.
    struct LargeWait {
        let cancellation: CancellationFlag
        let resume: () -> Void
    }

    /// Resumes the handler once a large answer may be added, it is cancelled, or the connection closes.
    func whenRoomForLarge(_ wait: LargeWait) {
        guard !wait.cancellation.isRaised else { return wait.resume() }
        waitingForLargeRoom.append(wait)
        offerRoom()
    }

    /// Resumes the handler that waits with this flag.
    func cancelWait(_ cancellation: CancellationFlag) {
        guard let index = waitingForLargeRoom.firstIndex(where: { $0.cancellation === cancellation }) else { return }
        waitingForLargeRoom.remove(at: index).resume()
    }

    private var isOver: Bool {
        if case .closed = phase { return true }
        return false
    }

    // MARK: Reading

    private var isReading: Bool {
        switch phase {
        case .fresh, .open, .draining, .halfClosed: true
        case .discarding, .closed: false
        }
    }

    // MARK: Closing

    /// Sends an error, ends all calls, and closes once the peer had time to receive the error.
    func reject(_ error: RPCError) {
        let deadline = loop.now + core.limits.discardTime
        phase = .discarding(bytesLeft: core.limits.discardedBytes, until: deadline)
        abandonAllCalls()
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

    var goingAway: RPCError { RPCError(.unavailable, "\(core.identity.name) is going away") }

    /// Closes a connection that has nothing under way. A client that was told about the draining may have sent a call
    /// before it read that; the call is still answered, and then the client closes.
    func closeIfDone() {
        guard phase.closesWhenIdle, calls.isEmpty, batchesOnTheirWay.isEmpty, !readsLater else { return }
        if case .draining = phase, saidHello {
            let now = loop.now
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

    // MARK: Deadlines

    /// The write timeout that applies now.
    private var patience: TimeAmount {
        let holdsOthersUp =
            core.holdsAllAnswers && writer.queuedBytes >= Limits.chunkBytes || core.hasAllCalls && line.first != nil
        return holdsOthersUp ? core.limits.deafTime : core.limits.writeTimeout
    }

    /// How often within this time to ask the kernel whether the peer has read anything.
    private static let looksForProgress: Int64 = 8

    /// Schedules the next check of a blocked write.
    func watchBlockedPeer() {
        if let next = nextLook(after: loop.now) { timer.wake(by: next) }
    }

    private func nextLook(after now: NIODeadline) -> NIODeadline? {
        blockedDeadline.map { min($0, now + .nanoseconds(patience.nanoseconds / Self.looksForProgress)) }
    }

    /// - Returns: the next deadline.
    private func enforceDeadlines(now: NIODeadline) -> NIODeadline {
        writer.lookForProgress(now: now)
        guard [discardDeadline, blockedDeadline].allSatisfy({ $0.map { $0 > now } ?? true }) else {
            // If the loop was delayed, the last message is not written yet.
            writer.flush()
            close()
            return .distantFuture
        }
        do throws(FrameViolation) {
            try transport.expire(now: now)
        } catch {
            if isReading { reject(error.rpcError) }
        }
        closeIfDone()
        while let call = deadlines.popDue(now: now, isCurrent: isUnderWay).flatMap({ calls[$0] }) {
            abort(call, RPCError(.deadlineExceeded, "the call took longer than its caller had"))
        }
        for batch in batchesOnTheirWay.values where batch.deadline <= now {
            writer.giveUp(batch.message, because: .deadlineExceeded)
        }
        for refusal in transport.takeRefusals() { send(nil, .failure(refusal)) }
        let others = [discardDeadline, isReading ? lingersUntil : nil, nextLook(after: now), transport.nextExpiry]
        let next = deadlines.next(isCurrent: isUnderWay)
        let nextBatch = batchesOnTheirWay.values.lazy.map(\.deadline).min() ?? .distantFuture
        return others.compactMap(\.self).reduce(min(next, nextBatch), min)
    }

    /// Enforces the deadline of a call in the table.
    func watch(_ call: Call) {
        deadlines.add(call.key, call.deadline, count: calls.count, isCurrent: isUnderWay)
        timer.wake(by: call.deadline)
    }

    /// An id may be used again after its call has ended.
    private func isUnderWay(_ key: Call.Key, _ deadline: NIODeadline) -> Bool { calls[key]?.deadline == deadline }

    private var discardDeadline: NIODeadline? {
        guard case .discarding(_, let until) = phase else { return nil }
        return until
    }

    private var blockedDeadline: NIODeadline? { writer.blockedSince.map { $0 + patience } }
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
