import JSON
import NIOCore
import Synchronization

/// An RPC client for a Unix socket. Concurrent calls share one connection.
///
/// `run()` maintains the connection; the caller owns its task:
/// ```swift
/// try await RPCClient.withConnection(to: path, as: "feed-importer") { client in
///     try await client.call(FeedContract.load, .init(limit: 10))
/// }
/// ```
public final class RPCClient: Sendable {
    let core: NIOLoopBound<ClientCore>
    private let executor: LoopExecutor
    private let inbox: CallInbox
    private let lastID = Atomic(0)

    public let path: SocketPath

    /// - Parameters:
    ///   - name: the client's name for the server's logs.
    ///   - features: the features to request from the peer.
    ///   - peers: which users may own the socket, in addition to our own user and root.
    ///   - peerName: the name of the peer in error messages; nil for the path.
    ///   - contracts: the contracts that the peer must offer, with versions; otherwise all calls but `rpc.*` are
    ///     `unavailable`.
    ///   - ownInstance: the instance of this process as a server. If the peer has it, all calls are `unavailable`.
    ///   - onChange: receives each change of the peer's state, on the event loop. `TraceContext.current` is that of the
    ///     call that revealed the change, if it was a single one.
    public static func make(
        to path: SocketPath, as name: String, version: String = "1", limits: Limits = Limits(),
        features: Features = .standard, peers: TrustedPeers = TrustedPeers(), executor: LoopExecutor = .shared,
        peerName: String? = nil, contracts: [String: ContractVersions] = [:], ownInstance: String? = nil,
        onChange: @escaping @Sendable (PeerChange) -> Void = { _ in }
    ) async -> RPCClient {
        // `ClientCore` must be made on its event loop.
        await withTaskExecutorPreference(executor) {
            RPCClient(
                core: NIOLoopBound(
                    ClientCore(
                        path: path, name: peerName, contracts: contracts, ownInstance: ownInstance, limits: limits,
                        features: features, peers: peers, executor: executor,
                        client: Hello.Client(name: name, version: version),
                        onChange: onChange),
                    eventLoop: executor.loop),
                path: path, executor: executor)
        }
    }

    private init(core: NIOLoopBound<ClientCore>, path: SocketPath, executor: LoopExecutor) {
        self.core = core
        inbox = core.value.inbox
        self.path = path
        self.executor = executor
    }

    /// Connects, runs `body`, and closes.
    public static func withConnection<Result: Sendable>(
        to path: SocketPath, as name: String, limits: Limits = Limits(), features: Features = .standard,
        peers: TrustedPeers = TrustedPeers(), executor: LoopExecutor = .shared,
        onChange: @escaping @Sendable (PeerChange) -> Void = { _ in },
        _ body: (RPCClient) async throws -> Result
    ) async throws -> Result {
        let client = await make(
            to: path, as: name, limits: limits, features: features, peers: peers, executor: executor,
            onChange: onChange)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            defer { group.cancelAll() }
            return try await body(client)
        }
    }

    /// Maintains the connection until the task is cancelled: connects at once, and again whenever it is lost.
    public func run() async {
        await withTaskExecutorPreference(executor) {
            var backoff = Backoff()
            var busyBackoff = Backoff(longest: Backoff.longestWhenBusy)
            var isBusy = false
            while true {
                let pause = isBusy ? busyBackoff.next() : max(backoff.next(), core.value.circuit.penalty)
                core.value.nextAttempt = executor.clock.now + TimeAmount(pause)
                // The sleep ends early if the task is cancelled.
                if pause > .zero { try? await executor.clock.sleep(for: pause) }
                core.value.nextAttempt = nil
                guard !Task.isCancelled else { break }
                await withTaskCancellationHandler {
                    do {
                        let start = executor.clock.now
                        let connection = try await core.value.connect().get().value
                        try await connection.channel.closeFuture.get()
                        try await connection.hasEnded.get()
                        isBusy = false
                        busyBackoff.reset()
                        // Otherwise a peer that greets and closes at once would be reconnected without a pause,
                        // forever.
                        if executor.clock.now - start >= Circuit.shortestLife { backoff.reset() }
                    } catch {
                        isBusy = core.value.failed(error)
                    }
                } onCancel: {
                    executor.loop.execute { self.core.value.stop() }
                }
            }
            core.value.stop()
        }
    }

    /// As `run`, until `stop` returns. Then new calls and streams end with `unavailable`, and calls under way may finish
    /// within `limits.drainTime`.
    public func run(until stop: @escaping @Sendable () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.run() }
            await stop()
            await drain()
            group.cancelAll()
        }
    }

    /// Returns when no call is left, after `limits.drainTime`, or when the task is cancelled.
    private func drain() async {
        let (idle, becomesIdle) = AsyncStream.makeStream(of: Void.self)
        core.onLoop { $0.retire { becomesIdle.finish() } }
        for await _ in idle {}
    }

    // MARK: Calls

    /// Calls a method and waits for the answer. Cancelling the task cancels the call at the server.
    public func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Answer {
        let answer = try await send(
            method.name, Payload(params, as: method.params),
            options.resolved(isRepeatable: method.isIdempotent, takesAttachments: method.answersWithBytes),
            checksAttachments: true)
        do throws(JSONError) {
            return try await answer.readBeside(as: method.answer)
        } catch {
            throw RPCError(invalidResult: error)
        }
    }

    /// Calls a method without decoding: the result is raw JSON.
    public func call(
        _ method: String, _ params: RawJSON, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> RawJSON {
        try await call(method, Payload(params), options).json
    }

    /// Calls a method without decoding, and returns the result with its attachments for forwarding.
    public func call(
        _ method: String, _ params: Payload, _ options: CallOptions
    ) async throws(RPCError) -> Payload {
        try await send(method, params, options, checksAttachments: false)
    }

    private func send(
        _ method: String, _ params: Payload, _ options: CallOptions, checksAttachments: Bool
    ) async throws(RPCError) -> Payload {
        let call = ClientCall(id: nextID(), method, params, options, checksAttachments: checksAttachments)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                call.caller = .task(continuation)
                begin(call)
            }
        } onCancel: {
            cancel(call)
        }
        return try outcome.get()
    }

    /// Forwards a call without a task of its own.
    /// - Parameter completion: called once, on the client's event loop; possibly before this method returns.
    /// - Returns: a function that cancels the call.
    package func forward(
        _ method: String, _ params: Payload, _ options: CallOptions,
        completion: @escaping @Sendable (Result<Payload, RPCError>) -> Void
    ) -> @Sendable () -> Void {
        let call = ClientCall(
            id: nextID(), method, params, options, checksAttachments: false, for: .completion(completion))
        begin(call)
        return { self.cancel(call) }
    }

    private func nextID() -> Int { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Begins a call on the event loop.
    private func begin(_ call: ClientCall) {
        if executor.loop.inEventLoop {
            core.value.begin(call)
        } else if inbox.put(call) {
            executor.loop.execute { self.core.value.takeCalls() }
        }
    }

    private func cancel(_ call: ClientCall) {
        call.isCancelled.store(true, ordering: .releasing)
        core.onLoop { $0.cancel(call.id) }
    }

    // MARK: Streams

    /// Calls a stream and passes its items to `body`. When `body` returns or the task is cancelled before the stream
    /// has ended, the stream is cancelled at the server.
    public func withStream<Params, Item, Result>(
        _ method: StreamMethod<Params, Item>, _ params: Params, _ options: CallOptions = .endless(),
        _ body: (ItemStream<Item>) async throws -> Result
    ) async throws -> Result {
        try await withStream(
            method.name, Payload(params, as: method.params),
            options.resolved(isRepeatable: false, takesAttachments: method.answersWithBytes), of: method.item,
            checksAttachments: true, body)
    }

    /// Calls a stream without decoding, and passes its items on with their attachments.
    public func withStream<Result>(
        _ method: String, _ params: Payload, _ options: CallOptions,
        _ body: (ItemStream<Payload>) async throws -> Result
    ) async throws -> Result {
        try await withStream(method, params, options, of: .payload, checksAttachments: false, body)
    }

    private func withStream<Item, Result>(
        _ method: String, _ params: Payload, _ options: CallOptions, of codec: Codec<Item>, checksAttachments: Bool,
        _ body: (ItemStream<Item>) async throws -> Result
    ) async throws -> Result {
        guard !Task.isCancelled else { throw RPCError.cancelledBeforeSent }
        let call = ClientCall(id: nextID(), method, params, options, checksAttachments: checksAttachments)
        let stream = await core.look { core in
            let stream = ClientStream(window: options.window, budget: core.streamBudget())
            call.caller = .stream(stream)
            core.beginStream(call)
            return NIOLoopBound(stream, eventLoop: core.executor.loop)
        }
        defer {
            cancel(call)
            stream.onLoop { $0.abandon() }
        }
        return try await body(ItemStream(stream, of: codec, cancel: { self.cancel(call) }))
    }

    /// The peer's answer to `rpc.hello`; nil while not connected, before the answer, and for a plain JSON-RPC peer.
    public func greeting() async -> Hello.Answer? {
        await core.look { core in
            guard case .ready(let connection) = core.state else { return nil }
            return connection.greeting
        }
    }
}
