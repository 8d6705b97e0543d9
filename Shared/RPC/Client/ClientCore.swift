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

    /// The peer in error messages.
    let name: String

    /// The contracts that the peer must offer, with their versions.
    let contracts: [String: Int]
    let onChange: @Sendable (PeerChange) -> Void
    let limits: Limits
    let features: Features
    let executor: LoopExecutor
    let peers: TrustedPeers
    let client: Hello.Client

    var state = State.connecting
    var circuit = Circuit()
    var standing = PeerStanding()

    /// Why the peer that is connected gets no calls but those of the protocol itself.
    var mismatch: RPCError?
    var budget = RetryBudget()

    /// Calls of which a byte may have left.
    var sent: [Int: ClientCall] = [:]

    /// Calls that wait for a connection, or for room at the peer.
    var waiting = WaitingLine<Int, ClientCall>()

    let timer: DeadlineTimer
    var probing: Scheduled<Void>?

    init(
        path: SocketPath, name: String?, contracts: [String: Int], limits: Limits, features: Features,
        peers: TrustedPeers, executor: LoopExecutor, client: Hello.Client,
        onChange: @escaping @Sendable (PeerChange) -> Void
    ) {
        self.path = path
        self.name = name ?? path.description
        self.contracts = contracts
        self.onChange = onChange
        self.limits = limits
        self.features = features
        self.peers = peers
        self.executor = executor
        self.client = client
        timer = DeadlineTimer(on: executor.loop)
        timer.whenDue = { [weak self] in self?.enforceDeadlines(now: $0) ?? .distantFuture }
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
            return call.end(.failure(silence))
        }
        guard waiting.count < limits.callsWaiting else {
            return call.end(.failure(.overloaded("\(name): too many calls wait")))
        }
        guard call.stream == nil || streamsUnderWay < callsAtOnce / 2 else {
            return call.end(.failure(.overloaded("\(name): too many streams under way")))
        }
        timer.wake(by: call.deadline)
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
        guard let call = sent.removeValue(forKey: id) ?? waiting.remove(id) else { return }
        if case .draining = state, case .failure(let error) = outcome, error.kind == .unavailable, !error.begun {
            // It crossed the news that the peer goes away.
            wait(call)
        } else {
            call.end(outcome)
        }
        sendWaiting()
        leaveIfDraining()
    }

    /// Ends a call from our side; a server that works on it is told.
    func end(_ id: Int, _ outcome: Result<Payload, RPCError>) {
        if let call = sent[id] { connection?.cancel(call) }
        complete(id, outcome)
    }

    func wait(_ call: ClientCall) {
        // What the connection that was lost still has to say about it is of no interest.
        for incoming in call.incoming { incoming.forget() }
        (call.outgoing, call.incoming) = (nil, [])
        waiting.append(call, id: call.id)
    }

    private func send(_ call: ClientCall, on connection: ClientConnection) {
        if let mismatch, !call.request.method.hasPrefix(ProtocolMethods.prefix) {
            return call.end(.failure(mismatch))
        }
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

    func sendWaiting() {
        guard !waiting.isEmpty, case .ready(let connection) = state else { return }
        while hasRoom(connection), let call = waiting.popFirst() { send(call, on: connection) }
    }

    /// Whether the peer, and the way there, can take one more call.
    func hasRoom(_ connection: ClientConnection) -> Bool { sent.count < callsAtOnce && connection.hasRoom }

    /// How many calls the peer takes at a time, as far as it has said.
    private var callsAtOnce: Int {
        min(connection?.greeting?.limits.callsPerConnection ?? .max, limits.callsPerConnection)
    }

    /// A stream may last for ever: half of what the peer takes is left for calls that end.
    private var streamsUnderWay: Int {
        sent.values.count { $0.stream != nil } + waiting.all.count { $0.value.stream != nil }
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
}

extension RPCError {
    fileprivate static let requestNotTaken = overloaded("the peer could not take the request")
}
