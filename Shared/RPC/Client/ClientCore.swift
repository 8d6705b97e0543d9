import Glibc
import NIOCore
import NIOPosix

/// The state of a client: where its connection stands, and the calls that are not over. Lives on the event loop.
final class ClientCore {
    enum State {
        /// An attempt is on its way, or will be as soon as the client runs: calls wait for its outcome.
        case connecting
        /// Connected; what the peer can take is not known yet.
        case greeting(ClientConnection)
        case ready(ClientConnection)
        /// The peer goes away: it answers what it has, and new calls wait for its successor.
        case draining(ClientConnection)
        /// Nobody is there: calls fail at once, until an attempt succeeds.
        case down(RPCError)
        case stopped
    }

    let path: SocketPath
    let limits: Limits
    let features: Features
    let executor: LoopExecutor
    private let peers: TrustedPeers
    private let client: Hello.Client

    private(set) var state = State.connecting
    private var circuit = Circuit()
    private var budget = RetryBudget()

    /// Calls of which a byte may have left.
    private var sent: [Int: ClientCall] = [:]

    /// Calls that wait for a connection, or for room at the peer.
    private var waiting: [Int: ClientCall] = [:]

    /// The order of those that wait; the numbers of those that have ended since are passed over.
    private var order = CircularBuffer<Int>()

    /// How many numbers of calls that have ended may lie there, beside as many as there are calls.
    private static let passedOver = 64
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?
    private var probing: Scheduled<Void>?

    init(
        path: SocketPath, limits: Limits, features: Features, peers: TrustedPeers, executor: LoopExecutor,
        client: Hello.Client
    ) {
        self.path = path
        self.limits = limits
        self.features = features
        self.peers = peers
        self.executor = executor
        self.client = client
    }

    // MARK: Calls

    func begin(_ call: ClientCall) {
        budget.earn()
        switch state {
        case .down(let error): return call.end(.failure(error))
        case .stopped: return call.end(.failure(unavailable("the client has stopped", begun: false)))
        case .connecting, .greeting, .ready, .draining: break
        }
        if circuit.isOpen {
            return call.end(.failure(unavailable("it does not answer; tried again in the background", begun: false)))
        }
        guard waiting.count < limits.callsWaiting else {
            return call.end(
                .failure(
                    RPCError(
                        .overloaded, "\(path): too many calls wait", begun: false, retryAfter: ServerCore.retryAfter)))
        }
        if call.deadline != .distantFuture { wake(by: call.deadline) }
        if case .ready(let connection) = state, waiting.isEmpty, hasRoom(connection) {
            send(call, on: connection)
        } else {
            wait(call)
        }
    }

    /// The call with this id that was sent.
    func call(_ id: Int) -> ClientCall? { sent[id] }

    func cancel(_ id: Int) {
        end(id, .failure(RPCError(.cancelled, "the caller cancelled")))
    }

    func complete(_ id: Int, _ outcome: Result<Payload, RPCError>) {
        guard let call = sent.removeValue(forKey: id) ?? waiting.removeValue(forKey: id) else { return }
        if case .draining = state, case .failure(let error) = outcome, error.kind == .unavailable, !error.begun {
            // It crossed the news that the peer goes away.
            return wait(call)
        }
        call.end(outcome)
        sendWaiting()
    }

    /// Ends a call from our side; a server that works on it is told.
    func end(_ id: Int, _ outcome: Result<Payload, RPCError>) {
        if let call = sent[id] { connection?.cancel(call) }
        complete(id, outcome)
    }

    private func wait(_ call: ClientCall) {
        // What the connection that was lost still has to say about it is of no interest.
        for incoming in call.incoming { incoming.forget() }
        (call.outgoing, call.incoming) = (nil, [])
        waiting[call.id] = call
        if order.count > 2 * waiting.count + Self.passedOver { order.removeAll { waiting[$0] == nil } }
        order.append(call.id)
    }

    private func send(_ call: ClientCall, on connection: ClientConnection) {
        sent[call.id] = call
        do throws(RPCError) {
            if let outgoing = try connection.send(call) {
                call.outgoing = outgoing
                outgoing.whenOver = { [weak self, weak call, unowned outgoing] outcome in
                    guard let call, call.outgoing === outgoing else { return }
                    call.outgoing = nil
                    guard case .givenUp = outcome, !outgoing.isTextOut else { return }
                    self?.complete(call.id, .failure(.requestNotTaken))
                }
            }
        } catch {
            complete(call.id, .failure(error))
        }
    }

    private func sendWaiting() {
        guard !waiting.isEmpty, case .ready(let connection) = state else { return }
        while hasRoom(connection), let id = order.popFirst() {
            if let call = waiting.removeValue(forKey: id) { send(call, on: connection) }
        }
    }

    /// Whether the peer, and the way there, can take one more call.
    private func hasRoom(_ connection: ClientConnection) -> Bool {
        let limit = connection.greeting?.limits.callsPerConnection ?? limits.callsPerConnection
        return sent.count < min(limit, limits.callsPerConnection) && connection.hasRoom
    }

    // MARK: Streams

    /// Calls a stream, whose items go to `stream`.
    func begin(_ call: ClientCall, stream: ClientStream) {
        stream.grant = { [weak self, weak call] items in
            guard let self, let call, self.sent[call.id] != nil else { return }
            self.connection?.grant(items, to: call)
        }
        begin(call)
    }

    // MARK: Connection

    /// The connection that is there.
    private var connection: ClientConnection? {
        switch state {
        case .greeting(let connection), .ready(let connection), .draining(let connection): connection
        case .connecting, .down, .stopped: nil
        }
    }

    /// Connects once.
    /// - Returns: what completes when the connection has ended, with whether it was of any use, or the reason why there
    ///   is none.
    func connect() -> EventLoopFuture<Bool> {
        // While nobody is there, the next attempt is no reason to wait.
        if case .down = state {} else { state = .connecting }
        let core = NIOLoopBound(self, eventLoop: executor.loop)
        return ClientBootstrap(group: executor.loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ClientConnection(channel, core: core.value))
                }
            }
            .connect(to: path.address)
            .flatMap { channel in channel.peerCredentials.map { (channel, $0) } }
            .flatMapThrowing { channel, peer in
                let connection = try channel.pipeline.syncOperations.handler(type: ClientConnection.self)
                try core.value.opened(connection, peer)
                return NIOLoopBound(connection, eventLoop: channel.eventLoop)
            }
            .flatMap { connection in
                connection.value.channel.closeFuture.map { @Sendable _ in connection.value.hasAnswered }
            }
    }

    func opened(_ connection: ClientConnection, _ peer: PeerCredentials?) throws(RPCError) {
        switch state {
        case .connecting, .down: break
        case .greeting, .ready, .draining, .stopped: return connection.close()
        }
        guard let peer, peers.include(peer) else {
            connection.close()
            let who = peer.map { "user \($0.user)" } ?? "somebody whom the system does not name"
            throw RPCError(.permissionDenied, "\(path) belongs to \(who)", begun: false)
        }
        do throws(RPCError) {
            try connection.greet(as: client)
        } catch {
            connection.close()
            throw error
        }
        state = .greeting(connection)
    }

    /// An attempt failed.
    func failed(_ error: any Error) {
        switch state {
        case .connecting, .down: break
        case .greeting, .ready, .draining, .stopped: return
        }
        circuit.failed(isConnecting: true)
        // A peer that was there a moment ago may be restarting: calls wait for a few attempts.
        guard circuit.isOpen else { return }
        let error = error as? RPCError ?? unavailable("nobody answers (\(reason(of: error)))", begun: false)
        state = .down(error)
        failWaiting(error)
    }

    func isGreeted(_ connection: ClientConnection) {
        guard case .greeting(let current) = state, current === connection else { return }
        state = .ready(connection)
        sendWaiting()
    }

    /// Something came from the peer.
    func heard(_ connection: ClientConnection) {
        circuit.heard()
        probing?.cancel()
        probing = nil
    }

    /// The kernel has taken something.
    func hasWritten(_ connection: ClientConnection) { sendWaiting() }

    func isDraining(_ connection: ClientConnection) {
        guard connection === self.connection else { return }
        state = .draining(connection)
    }

    /// The server wants nothing to do with us: no call will fare better, until a later attempt does.
    func refused(_ connection: ClientConnection, _ error: RPCError) {
        guard connection === self.connection else { return }
        state = .down(error)
        // A server that has refused the greeting may have gone on to handle what came with it.
        var sentError = error
        sentError.begun = error.kind == .unavailable
        for id in sent.keys { complete(id, .failure(sentError)) }
        failWaiting(error)
        connection.close()
    }

    /// The connection ended, or what came over it made no sense. Calls that never left wait for the next one, and so do,
    /// within bounds, those that may be handled twice.
    func broken(_ connection: ClientConnection, _ kind: ErrorKind, _ reason: String) {
        // Closing comes back here, when the calls have been told the reason.
        defer { connection.close() }
        if let current = self.connection {
            guard current === connection else { return }
            state = .connecting
        }
        let now = executor.loop.now
        let cut = sent
        sent = [:]
        for (_, call) in cut.sorted(by: { $0.key < $1.key }) {
            if kind == .unavailable, case .connecting = state, mayGoAgain(call, now: now) {
                wait(call)
            } else {
                call.end(.failure(RPCError(kind, "\(path): \(reason)")))
            }
        }
    }

    private func mayGoAgain(_ call: ClientCall, now: NIODeadline) -> Bool {
        // What is not out whole was not handled.
        if let outgoing = call.outgoing, !outgoing.isTextOut { return true }
        return call.request.isRepeatable && call.stream == nil && budget.take(now: now)
    }

    func stop() {
        let connection = connection
        state = .stopped
        timer?.scheduled.cancel()
        timer = nil
        probing?.cancel()
        probing = nil
        failWaiting(unavailable("the client has stopped", begun: false))
        for id in sent.keys { complete(id, .failure(unavailable("the client has stopped", begun: true))) }
        connection?.close()
    }

    private func failWaiting(_ error: RPCError) {
        order.removeAll()
        for id in waiting.keys { complete(id, .failure(error)) }
    }

    private func unavailable(_ reason: String, begun: Bool) -> RPCError {
        RPCError(.unavailable, "\(path): \(reason)", begun: begun)
    }

    private func reason(of error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }

    // MARK: Deadlines

    /// As on the server: one timer, set for the earliest deadline.
    func wake(by deadline: NIODeadline) {
        if let timer {
            guard deadline < timer.deadline else { return }
            timer.scheduled.cancel()
        }
        let scheduled = executor.loop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.enforceDeadlines(now: self.executor.loop.now)
        }
        timer = (scheduled, deadline)
    }

    private func enforceDeadlines(now: NIODeadline) {
        for (calls, begun) in [(waiting, false), (sent, true)] {
            for (id, call) in calls where call.deadline <= now {
                if begun || isGreeting { circuit.failed(isConnecting: false) }
                end(id, .failure(RPCError(.deadlineExceeded, "\(path): no answer in time", begun: begun)))
            }
        }
        probeIfOpen()
        var next = waiting.values.map(\.deadline) + sent.values.map(\.deadline)
        if let connection {
            connection.link.expire(now: now)
            _ = connection.link.takeRefusals()
            if let expiry = connection.link.nextExpiry { next.append(expiry) }
            if let blocked = connection.link.outbox.blockedSince {
                if blocked + limits.writeTimeout <= now {
                    broken(connection, .unavailable, "it has stopped reading")
                } else {
                    next.append(blocked + limits.writeTimeout)
                }
            }
        }
        if let next = next.min(), next != .distantFuture { wake(by: max(next, now + Limits.timerStep)) }
    }

    private var isGreeting: Bool {
        if case .greeting = state { return true }
        return false
    }

    // MARK: Probing

    /// Asks a peer that does not answer for a sign of life, again and again.
    private func probeIfOpen() {
        guard circuit.isOpen, probing == nil, connection != nil else { return }
        probe(pausing: Backoff())
    }

    private func probe(pausing backoff: Backoff) {
        var backoff = backoff
        connection?.probe()
        // The first pause of all is none.
        let pause = max(backoff.next(), Backoff.first)
        probing = executor.loop.assumeIsolated().scheduleTask(in: TimeAmount(pause)) {
            self.probing = nil
            if self.circuit.isOpen, self.connection != nil { self.probe(pausing: backoff) }
        }
    }
}

extension RPCError {
    fileprivate static let requestNotTaken = RPCError(
        .overloaded, "the peer could not take the request", begun: false, retryAfter: ServerCore.retryAfter)
}
