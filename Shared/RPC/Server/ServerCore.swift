import Foundation
import NIOCore

/// The state shared by the connections of one server on one event loop. Lives on that loop.
final class ServerCore {
    let identity: ServiceIdentity
    let contracts: [Contract]
    let methods: ServedMethods
    let limits: Limits
    let peers: TrustedPeers
    let executor: LoopExecutor
    let observers: RPCServer.Observers

    /// The calls that could not start while reading.
    let queue: CallQueue

    /// The server's parts on other event loops; none once it has ended.
    var others: [NIOLoopBound<ServerCore>] = []

    private var connections: [ObjectIdentifier: ServerConnection] = [:]

    /// The connections over the limit that are being told so.
    private var refused: Set<ObjectIdentifier> = []

    /// The calls whose handler runs or has yet to start.
    private var underWay: [Call] = []
    private let began: NIODeadline

    /// When the server began to drain; nil before.
    private(set) var drainingSince: Date?
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
        began = executor.clock.now
        self.observers = observers
        queue = CallQueue(executor)
    }

    // MARK: Connections

    /// - Returns: false when there are too many connections.
    func admit(_ connection: ServerConnection) -> Bool {
        guard connections.count < limits.connections else { return false }
        connections[ObjectIdentifier(connection)] = connection
        if isClosed { connection.close() } else if isDraining { connection.drain() }
        return true
    }

    /// - Returns: whether a connection that was not admitted may wait until its peer has read why. Each takes a descriptor.
    func mayRefuse(_ connection: ServerConnection) -> Bool {
        guard refused.count < Limits.refusedConnections else { return false }
        return refused.insert(ObjectIdentifier(connection)).inserted
    }

    func remove(_ connection: ServerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        refused.remove(ObjectIdentifier(connection))
        resumeIfOver()
    }

    // MARK: Calls

    /// How many calls have a handler that runs or has yet to start.
    var callsUnderWay: Int { underWay.count }

    func add(_ call: Call) {
        call.place = underWay.count
        underWay.append(call)
    }

    /// Records that a handler has ended or will not start. An answered call still counts while its handler runs, for
    /// example after a deadline or a cancellation.
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

    /// Whether the process is at its limit for answers. Peers that do not read must not block the others for long then.
    var holdsAllAnswers: Bool { executor.answers.bytes >= limits.queuedBytesPerProcess }

    /// Whether the process is at its limit for calls. Calls that wait for a peer that does not read take the place of
    /// others.
    var hasAllCalls: Bool { callsUnderWay >= limits.callsPerProcess }

    /// Makes every connection check its blocked writes again, because the write timeout is shorter now.
    func press() {
        let now = executor.readClock()
        guard pressedUntil <= now else { return }
        pressedUntil = now + limits.deafTime
        for connection in connections.values { connection.watchBlockedPeer() }
    }

    // MARK: Statistics

    /// The statistics of this part of the server.
    var statistics: Statistics {
        let now = executor.clock.now
        return Statistics(
            methods: methods.statistics(at: now),
            process: ProcessStatistics(
                connections: connections.count, handlers: callsUnderWay,
                queuedBytes: connections.values.reduce(0) { $0 + $1.writer.queuedBytes },
                memoryBytes: ResidentMemory.bytes(),
                uptime: Int((now - began).nanoseconds / 1_000_000_000)))
    }

    /// The checks of slow methods.
    var slownessChecks: [Health.Check] { methods.slownessChecks(at: executor.readClock(), date: Date()) }

    // MARK: Stopping

    var isDraining: Bool { drainingSince != nil }

    /// Refuses new calls and lets those under way finish for `limits.drainTime`; then cancels them.
    /// - Parameter onLeftBehind: receives the methods whose handlers still run `limits.stopGrace` later.
    func drain(onLeftBehind: @escaping @Sendable ([String]) -> Void = { _ in }) {
        guard !isDraining else { return }
        drainingSince = Date()
        for connection in connections.values { connection.drain() }
        resumeIfOver()
        executor.schedule(in: limits.drainTime) {
            for connection in self.connections.values { connection.abortAllCalls() }
        }
        // Do not wait longer for a peer that does not read its last answers.
        executor.schedule(in: limits.drainTime + limits.discardTime) { self.closeAll() }
        executor.schedule(in: limits.drainTime + limits.stopGrace) {
            let methods = self.underWay.filter(\.hasBegun).map(\.request.method).sorted()
            if !methods.isEmpty { onLeftBehind(methods) }
        }
    }

    /// Closes all connections now. Running handlers are cancelled.
    func closeAll() {
        drainingSince = drainingSince ?? Date()
        isClosed = true
        for connection in connections.values { connection.close() }
        resumeIfOver()
    }

    /// Returns once the server has drained or was closed, and no connection and no running handler is left.
    nonisolated(nonsending) func untilOver() async {
        guard !isOver else { return }
        await withCheckedContinuation { whenOver = $0 }
    }

    private var isOver: Bool { isDraining && connections.isEmpty && underWay.isEmpty }

    private func resumeIfOver() {
        guard isDraining, isOver else { return }
        others = []
        whenOver?.resume()
        whenOver = nil
    }
}
