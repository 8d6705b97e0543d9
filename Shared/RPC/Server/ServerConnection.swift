import NIOCore

/// One connection of a server: reads frames, keeps the table of calls under way, and enforces every deadline.
///
/// Lives on the event loop, as all that it touches. A message goes through `+Messages`, its calls through `+Calls`, what
/// comes of them through `+Answers`; `FrameWriter` decides how bytes are written.
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

    /// The caller's own name for itself, when it has said hello.
    var clientName: String?

    /// Answers of batches that take their time, and how much of it they have.
    var batchesOnTheirWay: [ObjectIdentifier: (message: OutgoingMessage, deadline: NIODeadline)] = [:]

    let timer: DeadlineTimer
    private var deadlines = DeadlineQueue<Call.Key>()
    private var waitingForRoom: [() -> Void] = []

    /// How many answers were given since there was room for them.
    var answersWithoutRoom = 0
    private var waitingForLargeRoom: [LargeWait] = []

    /// The calls that wait for their turn.
    var line = CallLine()

    /// What is held of batches whose last answer has not come.
    var batchBytes = 0

    /// What of this connection is counted in the total of the process.
    private var countedBytes = 0

    /// Whether messages were received that are read in a later turn.
    private var readsLater = false

    /// While draining, with nothing under way: until when a client that was told may take to close. Each message that comes
    /// starts that time again: its sender had not read of the draining yet.
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
                let who = peer.map { "user \($0.user)" } ?? "a peer that the system does not name"
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
        // Nothing is kept of what comes after the last answer was given.
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
        if lingersUntil != nil {
            lingersUntil = nil
            closeIfDone()
        }
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
        // A peer that is gone is no fault of anybody's.
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

    /// What waits for the peer, or for the rest of its batch.
    private var heldAnswers: Int { writer.queuedBytes + batchBytes }

    /// Whether one more handler may start. A closed connection always has room, because its answers are dropped.
    var hasRoom: Bool { isOver || heldAnswers < core.limits.queuedBytes && hasShare(heldAnswers) }

    /// Whether the process holds less in answers than it may, or this connection nearly nothing of it: peers that do not read
    /// must not stop those that do.
    private func hasShare(_ bytes: Int) -> Bool {
        core.executor.answers.bytes < core.limits.queuedBytesPerProcess || bytes < Limits.chunkBytes
    }

    /// Whether the next of the calls that wait may start: there is room, or its answer completes a batch that holds memory
    /// until then.
    var mayStartNext: Bool {
        guard let call = line.first else { return false }
        if hasRoom { return true }
        if case .batch(let batch, _, _) = call.destination, batch.bytes > 0 { return true }
        core.executor.answers.wait(self)
        return false
    }

    /// Whether a call may start where it is read. Calls of a batch start when all of them are read: two with the same id are
    /// refused, and one can be cancelled by another member.
    func mayStartNow(toAnswer destination: Call.Destination) -> Bool {
        if case .batch = destination { return false }
        return line.isEmpty && hasRoom && core.executor.mayStart()
    }

    /// - Parameter resume: called at once when there is room, or when nobody is left to answer.
    func whenRoom(_ resume: @escaping () -> Void) {
        waitingForRoom.append(resume)
        offerRoom()
    }

    /// Counts what this connection holds in the total of the process.
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
        // All at once, who then look again: not for each of the many chunks that their answers take.
        if !waitingForLargeRoom.isEmpty, hasRoomForLarge(upTo: Self.largeOffer) {
            let waiting = waitingForLargeRoom
            waitingForLargeRoom = []
            for wait in waiting { wait.resume() }
        }
        if !waitingForRoom.isEmpty || !waitingForLargeRoom.isEmpty { core.executor.answers.wait(self) }
    }

    /// Large answers wait for one another while this part of the room is taken, and are offered room again when only that
    /// part is: so what they wait for never makes other calls wait.
    private static let largePart = 4
    private static let largeOffer = 8

    /// Whether one more large answer may be added; not before those that wait already.
    var hasRoomForLarge: Bool { waitingForLargeRoom.isEmpty && hasRoomForLarge(upTo: Self.largePart) }

    /// What is held of batches does not count: a member that waited for its own batch would wait in vain.
    private func hasRoomForLarge(upTo part: Int) -> Bool {
        isOver || writer.queuedBytes <= core.limits.queuedBytes / part && hasShare(writer.queuedBytes)
    }

    /// A handler that waits for room for a large answer.
    struct LargeWait {
        let cancellation: CancellationFlag
        let resume: () -> Void
    }

    /// Resumes the handler once there may be room for a large answer, when it is cancelled, or when the connection closes.
    func whenRoomForLarge(_ wait: LargeWait) {
        guard !wait.cancellation.isRaised else { return wait.resume() }
        waitingForLargeRoom.append(wait)
        offerRoom()
    }

    /// The handler that waits with this flag waits no longer.
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

    /// Answers a violation, ends everything else, and closes once the answer had time to arrive.
    func reject(_ error: RPCError) {
        let deadline = loop.now + core.limits.discardTime
        phase = .discarding(bytesLeft: core.limits.discardedBytes, until: deadline)
        abandonAllCalls()
        // What is still to be said of answers on their way comes before the error, which is the last.
        writer.end()
        write { $0.response(id: nil, named(.failure(error))) }
        writer.close(.output)
        timer.wake(by: deadline)
    }

    /// The server goes away.
    func drain() {
        guard isReading else { return }
        phase = .draining
        if saidHello { notify(ProtocolMethods.drainingName) }
        // A stream need not ever end by itself.
        for call in calls.values where call.stream != nil { abort(call, goingAway) }
        closeIfDone()
    }

    /// The time for draining is over.
    func abortAllCalls() {
        for call in calls.values { abort(call, goingAway) }
    }

    var goingAway: RPCError { RPCError(.unavailable, "\(core.identity.name) is going away") }

    /// A client that was told of the draining may have called before it heard of it. It learns what became of that call, and
    /// closes.
    func closeIfDone() {
        guard phase.closesWhenIdle, calls.isEmpty, batchesOnTheirWay.isEmpty, !readsLater else { return }
        if case .draining = phase, saidHello {
            let now = loop.now
            guard let until = lingersUntil else { return linger(until: now + core.limits.discardTime) }
            guard until <= now else { return }
            // On a loop that was held up, calls may have come that were not read yet.
            if now - until > Self.promptness { return linger(until: now + Limits.timerStep) }
        }
        phase = .closed
        writer.close(.all)
    }

    private func linger(until deadline: NIODeadline) {
        lingersUntil = deadline
        timer.wake(by: deadline)
    }

    /// A deadline that is noticed later than this was held up by other work of the loop.
    private static let promptness = 4 * Limits.timerStep

    func close() {
        phase = .closed
        channel.close(mode: .all, promise: nil)
    }

    /// Ends what is under way when nobody is there to take an answer.
    private func abandonAllCalls() {
        for call in calls.values {
            call.abandon()
            note(call, RPCError(.cancelled, "the connection ended"))
        }
        calls.removeAll()
    }

    // MARK: Deadlines

    /// How long a write may be blocked without progress.
    private var patience: TimeAmount {
        let holdsOthersUp =
            core.holdsAllAnswers && writer.queuedBytes >= Limits.chunkBytes || core.hasAllCalls && line.first != nil
        return holdsOthersUp ? core.limits.deafTime : core.limits.writeTimeout
    }

    /// How often the system is asked in that time whether the peer has taken anything.
    private static let looksForProgress: Int64 = 8

    /// Looks at a blocked write in time.
    func watchBlockedPeer() {
        if let next = nextLook(after: loop.now) { timer.wake(by: next) }
    }

    private func nextLook(after now: NIODeadline) -> NIODeadline? {
        blockedDeadline.map { min($0, now + .nanoseconds(patience.nanoseconds / Self.looksForProgress)) }
    }

    /// - Returns: when to look again.
    private func enforceDeadlines(now: NIODeadline) -> NIODeadline {
        writer.lookForProgress(now: now)
        guard [discardDeadline, blockedDeadline].allSatisfy({ $0.map { $0 > now } ?? true }) else {
            // On a loop that was held up the last word has not left yet.
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

    /// Watches the deadline of a call that is in the table.
    func watch(_ call: Call) {
        deadlines.add(call.key, call.deadline, count: calls.count, isCurrent: isUnderWay)
        timer.wake(by: call.deadline)
    }

    /// An id may come again when its call has ended.
    private func isUnderWay(_ key: Call.Key, _ deadline: NIODeadline) -> Bool { calls[key]?.deadline == deadline }

    private var discardDeadline: NIODeadline? {
        guard case .discarding(_, let until) = phase else { return nil }
        return until
    }

    private var blockedDeadline: NIODeadline? { writer.blockedSince.map { $0 + patience } }
}

/// The life of a server connection as far as reading and closing go.
enum ConnectionPhase {
    /// Nothing was received yet: a `rpc.hello` may still come.
    case fresh
    case open
    /// The peer has shut down its sending side: what is under way is answered, then the connection closes.
    case halfClosed
    /// The server goes away: new calls are refused, what is under way is answered, then the connection closes.
    case draining
    /// After a violation: the error was sent, and what still comes is thrown away so that the error is not lost.
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
