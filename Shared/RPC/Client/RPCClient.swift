import NIOCore
import Synchronization

/// Makes calls over a Unix socket, any number at a time over one connection.
///
/// The connection is kept up by `run()`, whose task the caller owns:
/// ```swift
/// try await RPCClient.withConnection(to: path, as: "feed-importer") { client in
///     try await client.call(FeedContract.load, .init(limit: 10))
/// }
/// ```
public final class RPCClient: Sendable {
    private let core: NIOLoopBound<ClientCore>
    private let executor: LoopExecutor
    private let lastID = Atomic(0)

    /// Where the client connects to.
    public let path: SocketPath

    /// - Parameter name: how the client introduces itself.
    public static func make(
        to path: SocketPath, as name: String, version: String = "1", limits: Limits = Limits(),
        executor: LoopExecutor = .shared
    ) async -> RPCClient {
        // The core is made on the loop that it lives on.
        await withTaskExecutorPreference(executor) {
            RPCClient(
                core: NIOLoopBound(
                    ClientCore(
                        path: path, limits: limits, executor: executor,
                        client: Hello.Client(name: name, version: version)),
                    eventLoop: executor.loop),
                path: path, executor: executor)
        }
    }

    private init(core: NIOLoopBound<ClientCore>, path: SocketPath, executor: LoopExecutor) {
        self.core = core
        self.path = path
        self.executor = executor
    }

    /// Connects, runs `body`, and closes.
    public static func withConnection<Result: Sendable>(
        to path: SocketPath, as name: String, limits: Limits = Limits(), executor: LoopExecutor = .shared,
        _ body: (RPCClient) async throws -> Result
    ) async throws -> Result {
        let client = await make(to: path, as: name, limits: limits, executor: executor)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await client.run() }
            defer { group.cancelAll() }
            return try await body(client)
        }
    }

    /// Keeps the connection up until the task is cancelled: connects at once, and again whenever it is lost.
    public func run() async {
        await withTaskExecutorPreference(executor) {
            var backoff = Backoff()
            while !Task.isCancelled {
                let pause = backoff.next()
                // Cancelled while it waits: the loop's condition sees it.
                if pause > .zero { try? await Task.sleep(for: pause) }
                guard !Task.isCancelled else { break }
                await withTaskCancellationHandler {
                    do {
                        if try await core.value.connect().get() { backoff.reset() }
                    } catch {
                        core.value.failed(error)
                    }
                } onCancel: {
                    executor.loop.execute { self.core.value.stop() }
                }
            }
            core.value.stop()
        }
    }

    /// Calls a method and waits for its answer; cancelling the task cancels the call at the server.
    public func call<Params, Answer>(
        _ method: Method<Params, Answer>, _ params: Params, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Answer {
        let result = try await send(method.name, options) { [write = method.params.write] in write(params, &$0) }
        do throws(JSONError) {
            return try result.read(as: method.answer)
        } catch {
            throw RPCError(invalidResult: error)
        }
    }

    /// Calls a method whose types are not known here: the result is the peer's text.
    public func call(
        _ method: String, _ params: RawJSON, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> RawJSON {
        try await send(method, options) { $0.raw(params) }
    }

    /// What the peer has said about itself; nil while there is no connection, until it has answered, and for a plain
    /// peer that knows no greeting.
    public func greeting() async -> Hello.Answer? {
        await withTaskExecutorPreference(executor) {
            guard case .ready(let connection) = core.value.state else { return nil }
            return connection.greeting
        }
    }

    private func send(
        _ method: String, _ options: CallOptions, _ writeParams: @escaping @Sendable (inout JSONWriter) -> Void
    ) async throws(RPCError) -> RawJSON {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        let flag = CancellationFlag()
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let call = PendingCall(
                    method: method, options: options, writeParams: writeParams, continuation: continuation)
                onLoop { core in
                    core.begin(call, id: id)
                    if flag.isRaised { core.cancel(id) }
                }
            }
        } onCancel: {
            flag.raise()
            onLoop { $0.cancel(id) }
        }
        return try outcome.get()
    }

    private func onLoop(_ body: @escaping @Sendable (ClientCore) -> Void) {
        if executor.loop.inEventLoop {
            body(core.value)
        } else {
            executor.loop.execute { body(self.core.value) }
        }
    }
}
