import Glibc
import NIOCore
import NIOPosix

/// The state of a client: where its connection stands, and the calls that have no answer yet. Lives on the event loop.
final class ClientCore {
    enum State {
        /// An attempt is on its way, or will be as soon as the client runs: calls wait for its outcome.
        case connecting
        case ready(ClientConnection)
        /// The peer goes away: it answers what it has, and new calls wait for its successor.
        case draining(ClientConnection)
        /// The last attempt failed: calls fail at once, until a later attempt succeeds.
        case down(RPCError)
        case stopped
    }

    let path: SocketPath
    let limits: Limits
    let executor: LoopExecutor
    private let client: Hello.Client

    private(set) var state = State.connecting

    /// Calls of which a byte may have left.
    private var sent: [Int: PendingCall] = [:]

    /// Calls that wait for a connection, or for room at the peer.
    private var waiting: [Int: PendingCall] = [:]

    /// The order of those that wait; the numbers of those that have ended since are passed over.
    private var order = CircularBuffer<Int>()
    private var callsPerConnection: Int
    private var timer: (scheduled: Scheduled<Void>, deadline: NIODeadline)?

    init(path: SocketPath, limits: Limits, executor: LoopExecutor, client: Hello.Client) {
        self.path = path
        self.limits = limits
        self.executor = executor
        self.client = client
        callsPerConnection = limits.callsPerConnection
    }

    // MARK: Calls

    func begin(_ call: PendingCall, id: Int) {
        switch state {
        case .down(let error): call.continuation.resume(returning: .failure(error))
        case .stopped:
            call.continuation.resume(returning: .failure(unavailable("the client has stopped", begun: false)))
        case .connecting, .ready, .draining:
            waiting[id] = call
            order.append(id)
            wake(by: call.options.deadline)
            sendWaiting()
        }
    }

    func cancel(_ id: Int) {
        end(id, .failure(RPCError(.cancelled, "the caller cancelled")))
    }

    func complete(_ id: Int, _ outcome: Result<RawJSON, RPCError>) {
        guard let call = sent.removeValue(forKey: id) ?? waiting.removeValue(forKey: id) else { return }
        call.continuation.resume(returning: outcome)
        sendWaiting()
    }

    /// Ends a call from our side; a server that works on it is told.
    private func end(_ id: Int, _ outcome: Result<RawJSON, RPCError>) {
        if sent[id] != nil { connection?.cancel(id: id) }
        complete(id, outcome)
    }

    private func sendWaiting() {
        guard case .ready(let connection) = state else { return }
        while sent.count < callsPerConnection, let id = order.popFirst() {
            guard let call = waiting.removeValue(forKey: id) else { continue }
            sent[id] = call
            do throws(RPCError) {
                try connection.send(call, id: id)
            } catch {
                complete(id, .failure(error))
            }
        }
    }

    // MARK: Connection

    /// The connection that calls have been sent on.
    private var connection: ClientConnection? {
        switch state {
        case .ready(let connection), .draining(let connection): connection
        case .connecting, .down, .stopped: nil
        }
    }

    /// Connects once.
    /// - Returns: what completes when the connection has ended, with whether it was of any use, or the reason why there
    ///   is none.
    func connect() -> EventLoopFuture<Bool> {
        state = .connecting
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

    private func opened(_ connection: ClientConnection, _ peer: PeerCredentials?) throws(RPCError) {
        guard case .connecting = state else { return connection.close() }
        guard let peer, peer.isOwnerOrRoot else {
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
        state = .ready(connection)
        sendWaiting()
    }

    /// An attempt failed: nothing is left that waiting could be good for.
    func failed(_ error: any Error) {
        guard case .connecting = state else { return }
        let error = error as? RPCError ?? unavailable("nobody answers (\(reason(of: error)))", begun: false)
        state = .down(error)
        failWaiting(error)
    }

    func isGreeted(_ connection: ClientConnection, _ greeting: Hello.Answer) {
        callsPerConnection = min(limits.callsPerConnection, greeting.limits.callsPerConnection)
        sendWaiting()
    }

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

    /// The connection ended, or what came over it made no sense. Calls that never left wait for the next one.
    func broken(_ connection: ClientConnection, _ kind: ErrorKind, _ reason: String) {
        // Closing comes back here, when the calls have been told the reason.
        defer { connection.close() }
        if let current = self.connection {
            guard current === connection else { return }
            state = .connecting
        }
        for id in sent.keys {
            complete(id, .failure(RPCError(kind, "\(path): \(reason)")))
        }
    }

    func stop() {
        let connection = connection
        state = .stopped
        timer?.scheduled.cancel()
        timer = nil
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
    private func wake(by deadline: NIODeadline) {
        if let timer {
            guard deadline < timer.deadline else { return }
            timer.scheduled.cancel()
        }
        let scheduled = executor.loop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.timer = nil
            self.enforceDeadlines(now: .now())
        }
        timer = (scheduled, deadline)
    }

    private func enforceDeadlines(now: NIODeadline) {
        for (calls, begun) in [(waiting, false), (sent, true)] {
            for (id, call) in calls where call.options.deadline <= now {
                end(id, .failure(RPCError(.deadlineExceeded, "\(path): no answer in time", begun: begun)))
            }
        }
        let deadlines = waiting.values.map(\.options.deadline) + sent.values.map(\.options.deadline)
        if let next = deadlines.min() { wake(by: next) }
    }
}
