import Glibc
import NIOCore
import NIOPosix

/// The state of a client: its connection and its unfinished calls. Lives on the event loop.
final class ClientCore {
    enum State {
        /// Connecting, or waiting for `run`: calls wait for the outcome.
        case connecting
        /// Connected; the peer's limits are not known yet.
        case greeting(ClientConnection)
        case ready(ClientConnection)
        /// The peer drains: it answers the calls it has, and new calls wait for its successor.
        case draining(ClientConnection)
        /// The peer cannot be reached, or connections keep ending: calls fail at once until an attempt succeeds.
        case down(RPCError)
        case stopped
    }

    let path: SocketPath

    /// The name of the peer in error messages.
    let name: String

    /// The contracts that the peer must offer, and their versions.
    let contracts: [String: ContractVersions]

    /// The instance of this process as a server; a peer with it is refused.
    let ownInstance: String?
    let onChange: @Sendable (PeerChange) -> Void
    let limits: Limits
    let features: Features
    let executor: LoopExecutor
    let peers: TrustedPeers
    let client: Hello.Client

    /// Calls passed over by other threads.
    let inbox = CallInbox()

    var state = State.connecting
    var circuit = Circuit()

    var lastFailure: (any Error)?
    var standing = PeerStanding()

    /// Why only `rpc.*` calls are sent to the connected peer; nil if it offers all required contracts.
    var mismatch: RPCError?
    var budget = RetryBudget()

    /// The unfinished calls in all phases, by id.
    private(set) var calls: [Int: ClientCall] = [:]

    /// Calls in the phase `sent`, streams in any phase, and the highest id sent so far.
    private(set) var sentCount = 0
    private var streamCount = 0
    private var lastSent = 0

    /// The calls in the phase `waiting`.
    private var queue = LazyQueue<ClientCall> { $0.phase != .waiting }

    /// How many calls may be in progress at a time: our limit, or the peer's if it announced a smaller one.
    private var callsAtOnce: Int

    /// Outcomes for waiting tasks, collected during the current read.
    private var outcomes: [(ClientCall, ClientCall.Outcome)] = []
    private var isReading = false

    /// Set by `retire`: called when no call is left.
    var whenIdle: (() -> Void)?

    /// When the next attempt to connect begins; nil when none is planned.
    var nextAttempt: NIODeadline?

    let timer: DeadlineTimer
    var deadlines = DeadlineQueue<ClientCall>()
    var probing: Scheduled<Void>?

    init(
        path: SocketPath, name: String?, contracts: [String: ContractVersions], ownInstance: String? = nil,
        limits: Limits, features: Features, peers: TrustedPeers, executor: LoopExecutor, client: Hello.Client,
        onChange: @escaping @Sendable (PeerChange) -> Void
    ) {
        self.path = path
        self.name = name ?? path.description
        self.contracts = contracts
        self.ownInstance = ownInstance
        self.onChange = onChange
        self.limits = limits
        self.features = features
        self.peers = peers
        self.executor = executor
        self.client = client
        callsAtOnce = limits.callsPerConnection
        timer = DeadlineTimer(on: executor)
        timer.whenDue = { [weak self] in self?.enforceDeadlines(now: $0) ?? .distantFuture }
    }

    // MARK: Calls

    /// Runs a read. All callers whose answers it brings are resumed together, so that their threads are woken once and
    /// the calls that they then make share a write.
    func reading(_ read: () -> Void) {
        inbox.expect()
        executor.turn {
            isReading = true
            read()
            isReading = false
            for (call, outcome) in outcomes { call.end(outcome) }
            outcomes.removeAll(keepingCapacity: true)
        }
        takeCalls()
    }

    /// Begins the calls in the inbox, and those made meanwhile. After `takesInTurn` rounds the rest waits for the next
    /// turn, because other work shares the event loop.
    func takeCalls() {
        for _ in 1...Self.takesInTurn {
            let calls = inbox.take()
            if calls.isEmpty { return }
            executor.turn { for call in calls { begin(call) } }
        }
        executor.loop.assumeIsolated().execute { [weak self] in self?.takeCalls() }
    }

    private static let takesInTurn = 8

    func begin(_ call: ClientCall) {
        guard !call.isCancelled.load(ordering: .acquiring) else { return call.end(.failure(.cancelledBeforeSent)) }
        budget.earn()
        guard Limits.hops.contains(call.options.hops) else { return call.end(.failure(.tooManyHops)) }
        if let refusal { return call.end(.failure(refusal)) }
        guard calls.count - sentCount < limits.callsWaiting else {
            return call.end(.failure(.overloaded("\(name): too many calls wait")))
        }
        let isStream = call.stream != nil
        // A stream may never end, so half of the capacity is reserved for other calls.
        guard !isStream || streamCount < callsAtOnce / 2 else {
            return call.end(.failure(.overloaded("\(name): too many streams under way")))
        }
        call.deadline = call.options.deadline(now: executor.readClock())
        calls[call.id] = call
        if isStream { streamCount += 1 }
        deadlines.add(call, call.deadline, count: calls.count, isCurrent: Self.isUnderWay)
        timer.wake(by: call.deadline)
        place(call)
    }

    static func isUnderWay(_ call: ClientCall, _: NIODeadline) -> Bool { call.phase != .ended }

    /// Why calls fail at once; nil while they can be sent or queued.
    private var refusal: RPCError? {
        if whenIdle != nil { return removed(begun: false) }
        return switch state {
        case .down(let error): error
        case .stopped: unavailable("the client has stopped", begun: false)
        case .connecting, .greeting, .ready, .draining: circuit.fault.map(unavailable)
        }
    }

    /// Sends a call, or queues it behind earlier ones.
    private func place(_ call: ClientCall) {
        switch state {
        case .ready(let connection) where queue.isEmpty && hasRoom(connection): send(call, on: connection)
        // Its successor would tell its own health.
        case .draining(let connection) where call.method == ProtocolMethods.health.name && hasRoom(connection):
            send(call, on: connection)
        default: wait(call)
        }
    }

    /// The call with this id, if it is in the phase `sent`.
    func call(_ id: Int) -> ClientCall? {
        guard let call = calls[id], call.phase == .sent else { return nil }
        return call
    }

    /// The calls in the phase `sent`, oldest first.
    var sentCalls: [ClientCall] { calls.values.filter { $0.phase == .sent }.sorted { $0.id < $1.id } }

    /// Whether a call with this id was ever sent, so that an answer to it may only be late.
    func hasSent(_ id: Int) -> Bool { id > 0 && id <= lastSent }

    func cancel(_ id: Int) {
        guard let call = calls[id] else { return }
        end(call, .failure(RPCError(.cancelled, "the caller cancelled", begun: call.phase == .sent)))
    }

    /// Ends a call on this side, and cancels it at the server if it was sent.
    func end(_ call: ClientCall, _ outcome: ClientCall.Outcome) {
        if call.phase == .sent { connection?.cancel(call) }
        complete(call, outcome)
    }

    func complete(_ id: Int, _ outcome: ClientCall.Outcome) {
        if let call = calls[id] { complete(call, outcome) }
    }

    private func complete(_ call: ClientCall, _ outcome: ClientCall.Outcome) {
        if case .failure(let error) = outcome, !error.begun, call.mayFollowRefusal, tryLater(call, after: error) {
            call.forgetTransfers()
        } else {
            remove(call, outcome)
        }
        sendWaiting()
        leaveIfDraining()
    }

    /// Ends a call without sending the next one.
    func remove(_ call: ClientCall, _ outcome: ClientCall.Outcome) {
        guard call.phase != .ended, calls.removeValue(forKey: call.id) != nil else { return }
        if call.stream != nil { streamCount -= 1 }
        move(call, to: .ended)
        if isReading, case .task = call.caller { outcomes.append((call, outcome)) } else { call.end(outcome) }
        if calls.isEmpty { whenIdle?() }
    }

    // MARK: Waiting

    /// Queues a call: a new one, or one that is to be sent again.
    func wait(_ call: ClientCall) {
        guard call.phase != .waiting else { return }
        move(call, to: .waiting)
        queue.append(call)
    }

    private func move(_ call: ClientCall, to phase: ClientCall.Phase) {
        let before = call.phase
        call.phase = phase
        if before == .sent { sentCount -= 1 }
        if before == .waiting { queue.noteLeft() }
        if phase == .sent { sentCount += 1 }
    }

    /// Schedules a retry of a call that the peer refused before a handler ran.
    /// - Returns: false if it must not be sent again.
    private func tryLater(_ call: ClientCall, after error: RPCError) -> Bool {
        switch (error.kind, state) {
        case (.unavailable, .draining):
            // The peer sent `rpc.draining` before it read the call.
            wait(call)
            return true
        case (.overloaded, .ready), (.overloaded, .draining):
            let now = executor.readClock()
            guard let pause = error.retryAfter, pause <= Limits.timeoutMilliseconds.upperBound,
                now + .milliseconds(Int64(pause)) < call.deadline, budget.take(now: now)
            else { return false }
            move(call, to: .shed)
            executor.schedule(in: .milliseconds(Int64(pause))) { [weak self, weak call] in
                if let call { self?.retry(call) }
            }
            return true
        default: return false
        }
    }

    private func retry(_ call: ClientCall) {
        guard call.phase == .shed else { return }
        place(call)
    }

    /// Fails all calls that are not in the phase `sent`.
    func failWaiting(_ error: RPCError) {
        guard calls.count > sentCount else { return }
        let waiting = queue.removeAll()
        for call in waiting { call.phase = .new }
        for call in waiting { remove(call, .failure(error)) }
        for call in calls.values where call.phase == .shed { remove(call, .failure(error)) }
    }

    // MARK: Sending

    private func send(_ call: ClientCall, on connection: ClientConnection) {
        if let mismatch, !call.method.hasPrefix(ProtocolMethods.prefix) {
            return remove(call, .failure(mismatch))
        }
        move(call, to: .sent)
        lastSent = max(lastSent, call.id)
        do throws(RPCError) {
            if let outgoing = try connection.send(call) {
                call.outgoing = outgoing
                outgoing.whenOver = { [weak self, weak call, unowned outgoing] outcome in
                    guard let call, call.outgoing === outgoing else { return }
                    call.outgoing = nil
                    guard case .givenUp = outcome, !outgoing.isTextOut else { return }
                    self?.connection?.noteEndedHere(call)
                    self?.complete(call.id, .failure(.requestNotTaken))
                }
            }
        } catch {
            complete(call.id, .failure(error))
        }
    }

    func sendWaiting() {
        guard !queue.isEmpty, case .ready(let connection) = state else { return }
        while hasRoom(connection), let call = queue.popFirst() {
            call.phase = .new
            send(call, on: connection)
        }
    }

    /// Whether the peer and the connection can take one more call.
    func hasRoom(_ connection: ClientConnection) -> Bool { sentCount < callsAtOnce && connection.hasRoom }

    /// Applies the number of concurrent calls that the peer of a new connection announced, if any.
    func keep(toCalls announced: Int?) { callsAtOnce = min(announced ?? .max, limits.callsPerConnection) }

    // MARK: Streams

    /// Counts the items of one stream.
    func streamBudget() -> AssemblyBudget {
        AssemblyBudget(
            limit: .max, processLimit: limits.assembledBytesPerProcess, process: executor.assembly)
    }

    func beginStream(_ call: ClientCall) {
        call.stream?.overflow = { [weak self, weak call] error in
            if let call { self?.end(call, .failure(error)) }
        }
        call.stream?.grant = { [weak self, weak call] items in
            guard let self, let call, call.phase == .sent else { return }
            self.connection?.grant(items, to: call)
        }
        begin(call)
    }
}

extension RPCError {
    fileprivate static let requestNotTaken = overloaded("the peer could not receive the request")
    fileprivate static let tooManyHops = RPCError(
        .invalidRequest,
        "meta.hops: \(Limits.hops.upperBound) gateways have forwarded the call already; their plugins form a loop",
        begun: false)
    static let cancelledBeforeSent = RPCError(.cancelled, "the caller cancelled", begun: false)
}
