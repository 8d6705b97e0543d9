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
        /// No connection can be made, or none lasts: calls fail at once, until an attempt succeeds.
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

    /// Why the last attempt to connect failed.
    var lastFailure: (any Error)?
    var standing = PeerStanding()

    /// Why the peer that is connected gets no calls but those of the protocol itself.
    var mismatch: RPCError?
    var budget = RetryBudget()

    /// Calls of which a byte may have left, and the highest id that was ever sent.
    var sent: [Int: ClientCall] = [:]
    private var lastSent = 0

    /// Calls that wait for a connection, or for room at the peer.
    var waiting = WaitingLine<Int, ClientCall>()

    /// Calls that the peer has shed, until it may take them.
    private var shed: [Int: ClientCall] = [:]

    let timer: DeadlineTimer
    var deadlines = DeadlineQueue<Int>()
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
        if let refusal { return call.end(.failure(refusal)) }
        guard waiting.count + shed.count < limits.callsWaiting else {
            return call.end(.failure(.overloaded("\(name): too many calls wait")))
        }
        guard call.stream == nil || streamsUnderWay < callsAtOnce / 2 else {
            return call.end(.failure(.overloaded("\(name): too many streams under way")))
        }
        deadlines.add(
            call.id, call.deadline, count: sent.count + waiting.count + shed.count + 1,
            isCurrent: { id, _ in isUnderWay(id) })
        timer.wake(by: call.deadline)
        place(call)
    }

    /// Why calls fail at once; nil while they are worth sending, or waiting for.
    private var refusal: RPCError? {
        switch state {
        case .down(let error): error
        case .stopped: unavailable("the client has stopped", begun: false)
        case .connecting, .greeting, .ready, .draining: circuit.fault.map(unavailable)
        }
    }

    private func place(_ call: ClientCall) {
        if case .ready(let connection) = state, waiting.isEmpty, hasRoom(connection) {
            send(call, on: connection)
        } else {
            wait(call)
        }
    }

    func isUnderWay(_ id: Int) -> Bool { sent[id] != nil || waiting.contains(id) || shed[id] != nil }

    /// The call with this id that was sent.
    func call(_ id: Int) -> ClientCall? { sent[id] }

    /// Whether a call with this id was ever sent: what comes for it may only be late.
    func hasSent(_ id: Int) -> Bool { id > 0 && id <= lastSent }

    func cancel(_ id: Int) {
        end(id, .failure(RPCError(.cancelled, "the caller cancelled", begun: sent[id] != nil)))
    }

    func complete(_ id: Int, _ outcome: Result<Payload, RPCError>) {
        guard let call = sent.removeValue(forKey: id) ?? waiting.remove(id) ?? shed.removeValue(forKey: id) else {
            return
        }
        if case .failure(let error) = outcome, !error.begun, call.mayFollowRefusal, tryLater(call, after: error) {
            call.forgetTransfers()
        } else {
            call.end(outcome)
        }
        sendWaiting()
        leaveIfDraining()
    }

    /// Has a call wait that the peer has refused before a handler ran.
    /// - Returns: false when it is not to be sent again.
    private func tryLater(_ call: ClientCall, after error: RPCError) -> Bool {
        switch (error.kind, state) {
        case (.unavailable, .draining):
            // The call and the peer's `rpc.draining` crossed.
            wait(call)
            return true
        case (.overloaded, .ready), (.overloaded, .draining):
            let now = executor.loop.now
            guard let pause = error.retryAfter, pause <= Limits.timeoutMilliseconds.upperBound,
                now + .milliseconds(Int64(pause)) < call.deadline, budget.take(now: now)
            else { return false }
            shed[call.id] = call
            executor.loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(pause))) { [weak self, id = call.id] in
                self?.retry(id)
            }
            return true
        default: return false
        }
    }

    private func retry(_ id: Int) {
        guard let call = shed.removeValue(forKey: id) else { return }
        if let refusal { call.end(.failure(refusal)) } else { place(call) }
    }

    /// Ends a call from our side; a server that works on it is told.
    func end(_ id: Int, _ outcome: Result<Payload, RPCError>) {
        if let call = sent[id] { connection?.cancel(call) }
        complete(id, outcome)
    }

    func wait(_ call: ClientCall) { waiting.append(call, id: call.id) }

    /// Ends all calls that no peer works on.
    func failWaiting(_ error: RPCError) {
        while let call = waiting.popFirst() { call.end(.failure(error)) }
        let shed = shed
        self.shed = [:]
        for call in shed.values { call.end(.failure(error)) }
    }

    private func send(_ call: ClientCall, on connection: ClientConnection) {
        if let mismatch, !call.request.method.hasPrefix(ProtocolMethods.prefix) {
            return call.end(.failure(mismatch))
        }
        sent[call.id] = call
        lastSent = max(lastSent, call.id)
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
