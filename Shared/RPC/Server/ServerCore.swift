import NIOCore

/// What the connections of one server share. Lives on the event loop.
final class ServerCore {
    let identity: ServiceIdentity
    let contracts: [Contract]
    let methods: ServedMethods
    let limits: Limits
    let peers: TrustedPeers
    let executor: LoopExecutor
    let observers: RPCServer.Observers

    /// The calls that could not start where they were read.
    let queue: CallQueue

    private var connections: [ObjectIdentifier: ServerConnection] = [:]

    /// The calls with a handler that has not ended, or that is still to start.
    private var underWay: [Call] = []
    private let began = NIODeadline.now()
    private(set) var isDraining = false
    private var isClosed = false
    private var whenOver: CheckedContinuation<Void, Never>?

    init(
        identity: ServiceIdentity, methods: MethodTable, limits: Limits, peers: TrustedPeers, executor: LoopExecutor,
        observers: RPCServer.Observers
    ) {
        self.identity = identity
        contracts = methods.contracts
        self.methods = ServedMethods(methods)
        self.limits = limits
        self.peers = peers
        self.executor = executor
        self.observers = observers
        queue = CallQueue(executor)
    }

    // MARK: Connections

    /// - Returns: false when there are too many.
    func admit(_ connection: ServerConnection) -> Bool {
        guard connections.count < limits.connections else { return false }
        connections[ObjectIdentifier(connection)] = connection
        if isClosed { connection.close() } else if isDraining { connection.drain() }
        return true
    }

    func remove(_ connection: ServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        resumeIfOver()
    }

    // MARK: Calls

    /// How many calls have a handler that has not ended, or that is still to start.
    var callsUnderWay: Int { underWay.count }

    func add(_ call: Call) {
        call.place = underWay.count
        underWay.append(call)
    }

    /// A handler has ended, or need not start any more. Answering a call is not its end: a handler that goes on after a
    /// deadline or a cancel still takes its place.
    func ended(_ call: Call) {
        let last = underWay.removeLast()
        if last !== call {
            last.place = call.place
            underWay[call.place] = last
        }
        call.release()
        resumeIfOver()
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

    // MARK: Statistics

    var statistics: Statistics {
        Statistics(
            methods: methods.statistics,
            process: ProcessStatistics(
                connections: connections.count, handlers: callsUnderWay,
                queuedBytes: connections.values.reduce(0) { $0 + $1.writer.queuedBytes },
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
        resumeIfOver()
        executor.loop.assumeIsolated().scheduleTask(in: limits.drainTime) {
            for connection in self.connections.values { connection.abortAllCalls() }
        }
        // A peer that does not take its last answers is not waited for.
        executor.loop.assumeIsolated().scheduleTask(in: limits.drainTime + limits.discardTime) { self.closeAll() }
        executor.loop.assumeIsolated().scheduleTask(in: limits.drainTime + limits.stopGrace) {
            let methods = self.underWay.filter(\.hasBegun).map(\.request.method).sorted()
            if !methods.isEmpty { onLeftBehind(methods) }
        }
    }

    /// Ends everything now. Handlers that run are cancelled as their connections close.
    func closeAll() {
        isDraining = true
        isClosed = true
        for connection in connections.values { connection.close() }
        resumeIfOver()
    }

    /// Returns once the server has drained or was closed, with no connection left and no handler that runs.
    nonisolated(nonsending) func untilOver() async {
        guard !isOver else { return }
        await withCheckedContinuation { whenOver = $0 }
    }

    private var isOver: Bool { isDraining && connections.isEmpty && underWay.isEmpty }

    private func resumeIfOver() {
        guard isDraining, isOver else { return }
        whenOver?.resume()
        whenOver = nil
    }
}
