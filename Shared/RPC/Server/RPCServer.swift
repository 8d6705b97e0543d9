import NIOCore
import NIOPosix

/// Answers calls on a Unix socket.
public struct RPCServer: Sendable {
    public let identity: ServiceIdentity
    private let methods: MethodTable
    private let limits: Limits
    private let peers: TrustedPeers
    private let executor: LoopExecutor
    private let observers: Observers

    /// A call that ended with an error of class 5xx: one line of a log.
    public struct Fault: Sendable {
        public let method: String
        public let trace: TraceContext

        /// The answer; where that is `internal`, what the handler has thrown.
        public let error: any Error

        /// Whether the caller sees only that the call failed.
        public let isHidden: Bool
    }

    /// What a process is told about its calls. On the event loop.
    struct Observers: Sendable {
        let onFault: @Sendable (Fault) -> Void

        /// Sees every call that ends; nil where there is no such log.
        let onCall: (@Sendable (CallRecord) -> Void)?
    }

    /// - Parameters:
    ///   - methods: the service's own; those of the protocol are added unless they are there.
    ///   - peers: who may connect beside the same user and root.
    ///   - health: what `rpc.health` answers.
    ///   - onFault: is told of each call that ends with an error of class 5xx, once.
    ///   - onCall: is told of each call that ends; nil costs nothing.
    public init(
        identity: ServiceIdentity, methods: MethodTable, limits: Limits = Limits(),
        peers: TrustedPeers = TrustedPeers(),
        executor: LoopExecutor = .shared,
        health: @escaping @Sendable () async -> [Health.Check] = { [] },
        onFault: @escaping @Sendable (Fault) -> Void,
        onCall: (@Sendable (CallRecord) -> Void)? = nil
    ) {
        self.identity = identity
        self.methods = methods.adding(identity: identity, health: health)
        self.limits = limits
        self.peers = peers
        self.executor = executor
        observers = Observers(onFault: onFault, onCall: onCall)
    }

    /// Serves until `stop` returns and the calls under way are answered (at most `limits.drainTime` later), or until the
    /// task is cancelled, which ends everything at once. The socket is given free in either case.
    ///
    /// When the socket's file, its lock file or their directory is removed or replaced, it is created again.
    /// - Parameters:
    ///   - onReady: called once connections are accepted.
    ///   - onSocketChange: is told when clients no longer find the socket, and when they do again.
    ///   - onLeftBehind: is told of the methods whose handlers still run `limits.stopGrace` after they were told to stop.
    ///     The server waits for them; only the end of the process ends them.
    ///   - stop: must return when its task is cancelled.
    /// - Throws: `SocketError.inUse` when another process has taken the socket's path with its lock, `SocketError.lost` when
    ///   a supervisor's socket has failed; calls under way were answered.
    public func run(
        on socket: ListeningSocket, onReady: @Sendable () -> Void = {},
        onSocketChange: @escaping @Sendable (ListeningSocket.Change) -> Void = { _ in },
        onLeftBehind: @escaping @Sendable ([String]) -> Void = { _ in },
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        defer { socket.release() }
        try await withTaskExecutorPreference(executor) {
            try await serve(
                on: socket, onReady: onReady, onSocketChange: onSocketChange, onLeftBehind: onLeftBehind, until: stop)
        }
    }

    /// Runs on the event loop.
    private func serve(
        on socket: ListeningSocket, onReady: @Sendable () -> Void,
        onSocketChange: @escaping @Sendable (ListeningSocket.Change) -> Void,
        onLeftBehind: @escaping @Sendable ([String]) -> Void,
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        let (hires, hire) = AsyncStream.makeStream(of: Void.self)
        let core = NIOLoopBound(makeCore(hiring: hire), eventLoop: executor.loop)
        let listener = Listener(try await listen(on: socket.descriptor, core))
        onReady()
        async let ending = end(
            listener, of: socket, core, onSocketChange: onSocketChange, onLeftBehind: onLeftBehind, until: stop)
        await withDiscardingTaskGroup { group in
            for await _ in hires {
                group.addTask { await work(core.value) }
            }
            listener.close()
            core.value.closeAll()
            group.cancelAll()
        }
        if let fault = await ending { throw fault }
    }

    /// Waits until the server is to end, and has it drain.
    /// - Returns: why it cannot go on; nil when it was told to stop.
    private func end(
        _ listener: Listener, of socket: ListeningSocket, _ core: NIOLoopBound<ServerCore>,
        onSocketChange: @escaping @Sendable (ListeningSocket.Change) -> Void,
        onLeftBehind: @escaping @Sendable ([String]) -> Void,
        until stop: @escaping @Sendable () async -> Void
    ) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                await stop()
                return nil
            }
            group.addTask { await watch(socket, for: listener, core, onSocketChange) }
            let fault = await group.next() ?? nil
            socket.unlink()
            listener.close()
            core.value.drain(onLeftBehind: onLeftBehind)
            group.cancelAll()
            return fault
        }
    }

    /// How often a server looks whether clients find its socket.
    static let socketCheckInterval = Duration.seconds(2)

    /// Creates the socket again whenever its file was removed or replaced, or the system has ended its listening.
    /// - Returns: why clients will not find this server again; nil when the task is cancelled.
    private func watch(
        _ socket: ListeningSocket, for listener: Listener, _ core: NIOLoopBound<ServerCore>,
        _ onChange: @Sendable (ListeningSocket.Change) -> Void
    ) async -> (any Error)? {
        while !Task.isCancelled {
            // Cancelled while it waits: the loop's condition sees it.
            try? await Task.sleep(for: Self.socketCheckInterval)
            guard !Task.isCancelled else { break }
            do {
                guard let (change, descriptor) = try socket.restore(isListening: listener.isListening) else { continue }
                if let descriptor { listener.replace(with: try await listen(on: descriptor, core)) }
                onChange(change)
            } catch {
                return error
            }
        }
        return nil
    }

    /// - Parameter hire: asks for one more worker.
    func makeCore(hiring hire: AsyncStream<Void>.Continuation) -> ServerCore {
        ServerCore(
            identity: identity, methods: methods, limits: limits, peers: peers, executor: executor,
            observers: observers, queue: CallQueue(hire: hire))
    }

    private func listen(on descriptor: Int32, _ core: NIOLoopBound<ServerCore>) async throws -> any Channel {
        let placeholder = try PlaceholderSocket()
        return try await ServerBootstrap(group: executor.loop)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ServerConnection(channel, core: core.value))
                }
            }
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try placeholder.become(descriptor) }
            }
            .withBoundSocket(placeholder.descriptor)
            .get()
    }

    /// How many calls a worker handles before it lets others have their turn.
    private static let callsPerTurn = 16

    /// Handles one call after the other.
    nonisolated(nonsending) func work(_ core: ServerCore) async {
        var handled = 0
        let worker = ServerCore.Worker()
        core.begin(worker)
        defer { core.end(worker) }
        while let call = await core.queue.next(isNew: handled == 0) {
            if case .forward(let forwarder) = call.route {
                forward(call, by: forwarder, core)
            } else {
                worker.call = call
                await run(call)
                worker.call = nil
                core.ended(call)
            }
            // The cancelling was its call's, and cannot be taken back.
            if Task.isCancelled { return core.queue.leave() }
            handled += 1
            if handled.isMultiple(of: Self.callsPerTurn) { await Task.yield() }
        }
    }

    /// Passes a call on. It ends when its answer comes, and no worker waits for that.
    private func forward(_ call: Call, by forwarder: MethodTable.Forwarder, _ core: ServerCore) {
        call.forward(by: forwarder, context(of: call)) { outcome in
            if let outcome { call.connection.finish(call, outcome) }
            core.ended(call)
        }
    }

    private func context(of call: Call) -> CallContext {
        let meta = call.request.meta
        return CallContext(
            deadline: call.deadline, trace: meta.trace, takesAttachments: call.takesAttachments,
            priority: meta.priority ?? .visible, window: meta.window ?? Limits.defaultStreamWindow,
            peer: call.connection.peer, connection: NIOLoopBound(call.connection, eventLoop: executor.loop))
    }

    private nonisolated(nonsending) func run(_ call: Call) async {
        let (method, meta) = (call.request.method, call.request.meta)
        let context = context(of: call)
        // A call without a trace has nothing to pass on.
        let handled =
            meta.trace.parent == nil
            ? await call.run(context)
            : await TraceContext.$current.withValue(meta.trace) { await call.run(context) }
        guard let outcome = handled else { return }
        call.connection.finish(
            call,
            outcome.mapError { error in
                // A fault that was forwarded is hidden already, and names its service.
                if let error = error as? RPCError, error.kind != .internalError || error.service != nil {
                    return error
                }
                if error is CancellationError {
                    // Callers' cancelling answers a call before its handler ends: what cancels this one is the server's end.
                    return Task.isCancelled
                        ? RPCError(.unavailable, "\(identity.name) is going away")
                        : RPCError(.cancelled, "the call was cancelled")
                }
                observers.onFault(Fault(method: method, trace: meta.trace, error: error, isHidden: true))
                return RPCError(.internalError, "\(method) failed; the log of \(identity.name) says why")
            })
    }
}

extension MethodTable {
    /// Answers the protocol's own methods too.
    fileprivate func adding(
        identity: ServiceIdentity, health: @escaping @Sendable () async -> [Health.Check]
    ) -> MethodTable {
        var table = self
        table.handleByDefault(ProtocolMethods.ping) { _, _ in Empty() }
        table.handleByDefault(ProtocolMethods.describe) { selection, _ in
            try selection.mustBe(identity)
            return ServiceDescription(service: identity, contracts: contracts)
        }
        table.handleByDefault(ProtocolMethods.health) { selection, _ in
            try selection.mustBe(identity)
            return Health(await health())
        }
        table.handleByDefault(ProtocolMethods.stats) { selection, context in
            try selection.mustBe(identity)
            guard let statistics = await context.statistics else { throw ServerGone() }
            return statistics
        }
        return table
    }
}

/// A call outside of any server: a fault of ours.
private struct ServerGone: Error {}

extension ServiceSelection {
    /// Only a gateway knows other services.
    fileprivate func mustBe(_ identity: ServiceIdentity) throws(RPCError) {
        if let service, service != identity.name {
            throw RPCError(.invalidParams, "params.service: this is \(identity.name) and knows no other", begun: false)
        }
    }
}
