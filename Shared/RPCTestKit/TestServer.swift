import RPC
import Synchronization

/// A real server on a socket in a temporary directory, for the duration of a test.
public struct TestServer: Sendable {
    public let path: SocketPath

    /// Makes the server drain, as on a first SIGTERM. It has stopped when `ended` returns.
    public let stop: @Sendable () -> Void

    /// Stops the server at once, as on a second SIGTERM. It has stopped when `ended` returns.
    public let kill: @Sendable () -> Void
    public let ended: @Sendable () async -> Void
    private let faultSink: FaultSink

    /// The errors that callers saw as `internal`. Each is recorded before its caller receives the answer.
    public var faults: [RPCServer.Fault] { faultSink.faults.filter(\.isHidden) }

    /// All calls that ended with an error of class 5xx.
    public var failures: [RPCServer.Fault] { faultSink.faults }

    /// Runs `body` while a server serves these methods.
    /// - Parameters:
    ///   - path: the socket's path, if the test has its own directory.
    ///   - socket: the socket at this path, if the test has opened it.
    ///   - executors: several event loops; nil for the one of `executor`.
    ///   - onCall: gets each call that has ended and is counted.
    public static func with<Result: Sendable>(
        _ methods: MethodTable, named name: String = "test", at path: SocketPath? = nil,
        on socket: ListeningSocket? = nil,
        limits: Limits = Limits(), peers: TrustedPeers = TrustedPeers(), executor: LoopExecutor = .shared,
        executors: LoopExecutors? = nil,
        health: @escaping @Sendable () async -> [Health.Check] = { [] },
        onCall: (@Sendable (CallRecord) -> Void)? = nil,
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        guard let path else {
            return try await withTemporaryDirectory { directory in
                try await with(
                    methods, named: name, at: try SocketPath(directory + "/test.sock"), limits: limits, peers: peers,
                    executor: executor, executors: executors, health: health, onCall: onCall, body)
            }
        }
        let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
        let (kills, killing) = AsyncStream.makeStream(of: Void.self)
        let (ends, ending) = AsyncStream.makeStream(of: Void.self)
        let (readies, ready) = AsyncStream.makeStream(of: Void.self)
        let sink = FaultSink()
        let server = RPCServer(
            identity: ServiceIdentity(name: name, version: "1.0", instance: "test-instance"), methods: methods,
            limits: limits, peers: peers, executors: executors ?? LoopExecutors(executor), health: health,
            onFault: sink.add, onCall: onCall)
        let socket = try socket ?? ListeningSocket(path: path, group: peers.owningGroup)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer {
                    ready.finish()
                    ending.finish()
                }
                try await withThrowingTaskGroup(of: Void.self) { running in
                    running.addTask {
                        try await server.run(
                            on: socket, onReady: { ready.finish() }, until: { for await _ in stops {} })
                    }
                    running.addTask { for await _ in kills {} }
                    try await running.next()
                    running.cancelAll()
                }
            }
            for await _ in readies {}
            defer { group.cancelAll() }
            return try await body(
                TestServer(
                    path: path, stop: { stopping.finish() }, kill: { killing.finish() },
                    ended: { for await _ in ends {} }, faultSink: sink))
        }
    }
}

private final class FaultSink: Sendable {
    private let collected = Mutex<[RPCServer.Fault]>([])

    var faults: [RPCServer.Fault] { collected.withLock { $0 } }

    @Sendable func add(_ fault: RPCServer.Fault) { collected.withLock { $0.append(fault) } }
}
