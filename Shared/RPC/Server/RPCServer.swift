import JSON
import NIOCore
import NIOPosix
import Timing

/// An RPC server on a Unix socket: accepts connections until it is stopped. Each connection is a `ServerConnection`
/// on one of the event loops, each event loop has a `ServerCore`, and the handlers come from a `MethodTable`.
public struct RPCServer: Sendable {
    public let identity: ServiceIdentity
    private let methods: MethodTable
    private let limits: Limits
    private let peers: TrustedPeers
    private let executors: LoopExecutors
    private let observers: Observers

    /// Nil while the server does not run.
    private let running = Watched<ServerCores?>(nil)

    /// A call that ended with an error of class 5xx; each is one log line.
    public struct Fault: Sendable {
        public let method: String
        public let trace: TraceContext

        /// The error of the answer, or, where that is `internal`, the error that the handler threw.
        public let error: any Error

        /// Whether the error is hidden from the caller.
        public let isHidden: Bool
    }

    /// Callbacks for a process's calls. On the event loop.
    struct Observers: Sendable {
        let onFault: @Sendable (Fault) -> Void

        /// Receives every call that ends; nil if calls are not logged.
        let onCall: (@Sendable (CallRecord) -> Void)?
    }

    /// - Parameters:
    ///   - methods: the service's methods; the protocol's own are added unless they are present.
    ///   - peers: who may connect, in addition to the same user and root.
    ///   - executors: several, if handlers compute so much that one core is not enough. Each event loop then has an
    ///     equal part of the limits per process.
    ///   - health: computes the answer of `rpc.health`.
    ///   - measures: adds the service's own numbers to the answer of `rpc.stats`.
    ///   - onFault: receives each call that ends with an error of class 5xx, once.
    ///   - onCall: receives each call that ends; nil costs nothing.
    public init(
        identity: ServiceIdentity, methods: MethodTable, limits: Limits = Limits(),
        peers: TrustedPeers = TrustedPeers(),
        executors: LoopExecutors = LoopExecutors(.shared),
        health: @escaping @Sendable () async -> [Health.Check] = { [] },
        measures: @escaping @Sendable () async -> Measures = { Measures() },
        onFault: @escaping @Sendable (Fault) -> Void,
        onCall: (@Sendable (CallRecord) -> Void)? = nil
    ) {
        self.identity = identity
        self.methods = methods.adding(identity: identity, health: health, measures: measures)
        self.limits = limits
        self.peers = peers
        self.executors = executors
        observers = Observers(onFault: onFault, onCall: onCall)
    }

    /// Serves until `stop` returns and the calls under way are answered (at most `limits.drainTime` later), or until
    /// the task is cancelled, which ends everything at once. In either case the socket path is released.
    ///
    /// When the socket file, its lock file or their directory is removed or replaced, it is created again.
    /// - Parameters:
    ///   - onReady: called once connections are accepted.
    ///   - onSocketChange: called when clients can no longer find the socket, and when they can again.
    ///   - onLeftBehind: receives the methods whose handlers still run `limits.stopGrace` after they were told to stop. The
    ///     server waits for them; only the end of the process ends them. Called once for each event loop with such
    ///     handlers.
    ///   - stop: must return when its task is cancelled.
    /// - Throws: `SocketError.inUse` when another process has taken the socket's path with its lock; `SocketError.lost`
    ///   when a supervisor's socket has failed. Calls under way were answered.
    public func run(
        on socket: ListeningSocket, onReady: @Sendable () -> Void = {},
        onSocketChange: @escaping @Sendable (ListeningSocket.Change) -> Void = { _ in },
        onLeftBehind: @escaping @Sendable ([String]) -> Void = { _ in },
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        defer { socket.release() }
        try await withTaskExecutorPreference(executors.all[0]) {
            try await serve(
                on: socket, onReady: onReady, onSocketChange: onSocketChange, onLeftBehind: onLeftBehind, until: stop)
        }
    }

    private func serve(
        on socket: ListeningSocket, onReady: @Sendable () -> Void,
        onSocketChange: @escaping @Sendable (ListeningSocket.Change) -> Void,
        onLeftBehind: @escaping @Sendable ([String]) -> Void,
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        let cores = await ServerCores(on: executors, makeCore)
        running.withLock { $0 = cores }
        defer { running.withLock { $0 = nil } }
        let listener = Listener(try await listen(on: socket.descriptor, cores))
        onReady()
        async let ending = end(
            listener, of: socket, cores, onSocketChange: onSocketChange, onLeftBehind: onLeftBehind, until: stop)
        await withTaskCancellationHandler {
            await cores.untilOver()
        } onCancel: {
            listener.close()
            cores.onEach { $0.closeAll() }
        }
        if let fault = await ending { throw fault }
    }

    /// Waits until the server must end, and drains it.
    /// - Returns: the error that ended the server; nil when it was told to stop.
    private func end(
        _ listener: Listener, of socket: ListeningSocket, _ cores: ServerCores,
        onSocketChange: @escaping @Sendable (ListeningSocket.Change) -> Void,
        onLeftBehind: @escaping @Sendable ([String]) -> Void,
        until stop: @escaping @Sendable () async -> Void
    ) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                await stop()
                return nil
            }
            group.addTask { await watch(socket, for: listener, cores, onSocketChange) }
            let fault = await group.next() ?? nil
            socket.unlink()
            listener.close()
            cores.onEach { $0.drain(onLeftBehind: onLeftBehind) }
            group.cancelAll()
            return fault
        }
    }

    /// How often a server checks whether clients can find its socket.
    static let socketCheckInterval = Duration.seconds(2)

    /// Creates the socket again whenever its file was removed or replaced, or the system has closed the listening
    /// channel.
    /// - Returns: why the socket cannot be created again; nil when the task is cancelled.
    private func watch(
        _ socket: ListeningSocket, for listener: Listener, _ cores: ServerCores,
        _ onChange: @Sendable (ListeningSocket.Change) -> Void
    ) async -> (any Error)? {
        while !Task.isCancelled {
            // If the task is cancelled during the pause, the loop's condition ends it.
            try? await executors.all[0].clock.sleep(for: Self.socketCheckInterval)
            guard !Task.isCancelled else { break }
            do {
                guard let (change, descriptor) = try socket.restore(isListening: listener.isListening) else { continue }
                if let descriptor { listener.replace(with: try await listen(on: descriptor, cores)) }
                onChange(change)
            } catch {
                return error
            }
        }
        return nil
    }

    /// The statistics since the start, without the service's own measures; nil while the server does not run.
    public func statistics() async -> Statistics? { await running.withLock { $0 }?.statistics() }

    func makeCore(on executor: LoopExecutor) -> ServerCore {
        ServerCore(
            identity: identity, methods: methods, limits: limits.part(of: executors.all.count), peers: peers,
            executor: executor, observers: observers)
    }

    private func listen(on descriptor: Int32, _ cores: ServerCores) async throws -> any Channel {
        let placeholder = try PlaceholderSocket()
        return try await ServerBootstrap(group: executors.all[0].loop, childGroup: executors.group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.recvAllocator, value: Transport.receiveBuffers)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ServerConnection(channel, core: cores.core(on: channel.eventLoop)))
                }
            }
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try placeholder.become(descriptor) }
            }
            .withBoundSocket(placeholder.descriptor)
            .get()
    }
}

extension MethodTable {
    /// Adds the protocol's own methods.
    fileprivate func adding(
        identity: ServiceIdentity, health: @escaping @Sendable () async -> [Health.Check],
        measures: @escaping @Sendable () async -> Measures
    ) -> MethodTable {
        var defaults = MethodTable()
        defaults.handle(ProtocolMethods.ping) { _, _ in Empty() }
        // The longest answer of the protocol, and always the same: encoded for each call, batches of it would stop the loop.
        let description = RawJSON(
            ServiceDescription(service: identity, contracts: contracts), as: ProtocolMethods.describe.answer)
        defaults.handle(ProtocolMethods.describe.answeringText) { selection, _ in
            try selection.mustBe(identity)
            return description
        }
        defaults.handle(ProtocolMethods.health) { selection, context in
            try selection.mustBe(identity)
            return Health(await health() + context.slownessChecks).noting(await context.draining)
        }
        defaults.handle(ProtocolMethods.stats) { selection, context in
            try selection.mustBe(identity)
            guard var statistics = await context.statistics else { throw ServerGone() }
            statistics.measures = await measures()
            return statistics
        }
        var table = self
        table.addHandlers(of: defaults)
        return table
    }
}

extension Method {
    /// The method with answers that are already encoded.
    fileprivate var answeringText: Method<Params, RawJSON> {
        Method<Params, RawJSON>(
            name, summary, params: params, answer: .any, isIdempotent: isIdempotent, errors: errors)
    }
}

/// A call was made without a server: a programming error.
private struct ServerGone: Error {}

extension ServiceSelection {
    /// Only a gateway knows other services.
    fileprivate func mustBe(_ identity: ServiceIdentity) throws(RPCError) {
        if let service, !service.isExactly(identity.name) {
            throw RPCError(.invalidParams, "params.service: must be \(identity.name) or absent", begun: false)
        }
    }
}
