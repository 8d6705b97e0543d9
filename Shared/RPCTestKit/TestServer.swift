import RPC

/// A real server on a real socket in a temporary directory, for as long as a test needs it.
public struct TestServer: Sendable {
    public let path: SocketPath

    /// Makes the server drain, as on a first SIGTERM; it is gone when `ended` returns.
    public let stop: @Sendable () -> Void
    public let ended: @Sendable () async -> Void
    private let faultSink: FaultSink

    /// The errors that callers saw as `internal`.
    public var faults: [RPCServer.Fault] { get async { await faultSink.faults } }

    /// Runs `body` while a server answers these methods.
    public static func with<Result: Sendable>(
        _ methods: MethodTable, named name: String = "test", limits: Limits = Limits(),
        health: @escaping @Sendable () async -> [Health.Check] = { [] },
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryDirectory { directory in
            let path = try SocketPath(directory + "/test.sock")
            let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
            let (ends, ending) = AsyncStream.makeStream(of: Void.self)
            let (readies, ready) = AsyncStream.makeStream(of: Void.self)
            let sink = FaultSink()
            let faults = AsyncStream.makeStream(of: RPCServer.Fault.self)
            let server = RPCServer(
                identity: ServiceIdentity(name: name, version: "1.0", instance: "test-instance"), methods: methods,
                limits: limits, health: health, onFault: { faults.continuation.yield($0) })
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer {
                        ready.finish()
                        ending.finish()
                    }
                    try await server.run(
                        on: try ListeningSocket(path: path), onReady: { ready.finish() },
                        until: { for await _ in stops {} })
                }
                group.addTask { for await fault in faults.stream { await sink.add(fault) } }
                for await _ in readies {}
                defer { group.cancelAll() }
                return try await body(
                    TestServer(
                        path: path, stop: { stopping.finish() }, ended: { for await _ in ends {} }, faultSink: sink))
            }
        }
    }
}

private actor FaultSink {
    private(set) var faults: [RPCServer.Fault] = []

    func add(_ fault: RPCServer.Fault) { faults.append(fault) }
}
