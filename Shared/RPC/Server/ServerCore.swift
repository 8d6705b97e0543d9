import NIOCore

/// What the connections of one server share. Lives on the event loop.
final class ServerCore {
    let identity: ServiceIdentity
    let methods: MethodTable
    let limits: Limits
    let peers: TrustedPeers
    let executor: LoopExecutor
    let observers: RPCServer.Observers

    /// The calls that wait for a worker.
    let queue: CallQueue

    private var connections: [ObjectIdentifier: ServerConnection] = [:]
    private(set) var callsUnderWay = 0

    /// Those that handle calls.
    private var workers: [ObjectIdentifier: Worker] = [:]

    /// What handles one call after the other.
    final class Worker {
        /// The call that it handles now.
        var call: Call?
    }
    private let began = NIODeadline.now()
    var counter: CallCounter
    private(set) var isDraining = false

    init(
        identity: ServiceIdentity, methods: MethodTable, limits: Limits, peers: TrustedPeers, executor: LoopExecutor,
        observers: RPCServer.Observers, queue: CallQueue
    ) {
        self.identity = identity
        self.methods = methods
        counter = CallCounter(methods)
        self.limits = limits
        self.peers = peers
        self.executor = executor
        self.observers = observers
        self.queue = queue
    }

    // MARK: Connections

    /// - Returns: false when there are too many.
    func admit(_ connection: ServerConnection) -> Bool {
        guard connections.count < limits.connections else { return false }
        connections[ObjectIdentifier(connection)] = connection
        if isDraining { connection.drain() }
        return true
    }

    func remove(_ connection: ServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        finishIfDrained()
    }

    // MARK: Calls

    func submit(_ call: Call) {
        callsUnderWay += 1
        queue.add(call)
    }

    /// A handler has ended, or was found not to be wanted any more. Answering a call is not its end: a handler that goes on
    /// after a deadline or a cancel still takes what it takes.
    func ended(_ call: Call) {
        callsUnderWay -= 1
        call.release()
    }

    // MARK: Pressure

    private var pressedUntil = NIODeadline.distantPast

    /// Whether the process holds as much in answers as it may. Peers that take nothing must not hold up the others for long
    /// then.
    var holdsAllAnswers: Bool { executor.answers.bytes >= limits.queuedBytesPerProcess }

    /// The same for calls: those that wait for such a peer take the place of others.
    var hasAllCalls: Bool { callsUnderWay >= limits.callsPerProcess }

    /// Has every connection look at its peer in time, now that the time is shorter.
    func press() {
        let now = executor.loop.now
        guard pressedUntil <= now else { return }
        pressedUntil = now + limits.deafTime
        for connection in connections.values { connection.watchBlockedPeer() }
    }

    // MARK: Workers

    func begin(_ worker: Worker) { workers[ObjectIdentifier(worker)] = worker }
    func end(_ worker: Worker) { workers[ObjectIdentifier(worker)] = nil }

    /// The methods whose handlers run, each as often as it does.
    private var methodsUnderWay: [String] { workers.values.compactMap { $0.call?.request.method }.sorted() }

    // MARK: Statistics

    /// A call was answered.
    func count(_ call: Call, _ error: ErrorKind?) {
        guard let ticket = call.ticket else { return }
        call.ticket = nil
        counter.end(ticket, error, isStream: call.stream != nil)
        if let onCall = observers.onCall {
            onCall(record(call.request, error, since: ticket.began, on: call.connection))
        }
    }

    /// A call was answered with an error before it began.
    func countRefused(_ request: Request, _ error: ErrorKind, on connection: ServerConnection) {
        counter.refuse(request.method, error)
        if let onCall = observers.onCall { onCall(record(request, error, since: nil, on: connection)) }
    }

    private func record(
        _ request: Request, _ error: ErrorKind?, since began: NIODeadline?, on connection: ServerConnection
    ) -> CallRecord {
        CallRecord(
            method: request.method, error: error, duration: began.map { .now() - $0 }, trace: request.meta.trace,
            client: connection.clientName, peer: connection.peer)
    }

    // MARK: Faults

    /// A call was answered with this error, or what was to come beside its answer was cut off by it. Errors of class 5xx
    /// are reported, with two exceptions: a hidden fault was reported with its cause already, and a server that drains
    /// refuses calls and ends streams by the rules (protocol §2, `rpc.draining`).
    func failed(_ call: Call, _ error: RPCError) {
        guard error.kind.isServerError else { return }
        let isHidden = error.kind == .internalError && error.service == nil
        let isDrained = isDraining && error.kind == .unavailable && (call.stream != nil || !error.begun)
        guard !isHidden, !isDrained else { return }
        observers.onFault(
            RPCServer.Fault(method: call.request.method, trace: call.request.meta.trace, error: error, isHidden: false))
    }

    var statistics: Statistics {
        Statistics(
            methods: counter.methods,
            process: ProcessStatistics(
                connections: connections.count, handlers: callsUnderWay,
                queuedBytes: connections.values.reduce(0) { $0 + $1.outbox.queuedBytes },
                memoryBytes: ResidentMemory.bytes(),
                uptime: Int((NIODeadline.now() - began).nanoseconds / 1_000_000_000)))
    }

    // MARK: Stopping

    /// Refuses new calls and lets those under way finish, for `limits.drainTime`; after that they are told to stop.
    /// - Parameter onLeftBehind: is told of the handlers that still run `limits.stopGrace` later.
    func drain(onLeftBehind: @escaping @Sendable ([String]) -> Void = { _ in }) {
        guard !isDraining else { return }
        isDraining = true
        for connection in connections.values { connection.drain() }
        finishIfDrained()
        executor.loop.assumeIsolated().scheduleTask(in: limits.drainTime) {
            for connection in self.connections.values { connection.abortAllCalls() }
        }
        // A peer that does not take its last answers is not waited for.
        executor.loop.assumeIsolated().scheduleTask(in: limits.drainTime + limits.discardTime) { self.closeAll() }
        executor.loop.assumeIsolated().scheduleTask(in: limits.drainTime + limits.stopGrace) {
            let methods = self.methodsUnderWay
            if !methods.isEmpty { onLeftBehind(methods) }
        }
    }

    /// Ends everything now.
    func closeAll() {
        isDraining = true
        for connection in connections.values { connection.close() }
        finishIfDrained()
    }

    private func finishIfDrained() {
        if isDraining, connections.isEmpty { queue.close() }
    }
}
