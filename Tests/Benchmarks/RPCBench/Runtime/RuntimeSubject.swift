import NIOCore
import RPC

/// The runtime with a trivial handler, through the public asynchronous interface on both sides.
enum RuntimeSubject {
    static func serve(on path: String) async throws {
        let server = RPCServer(
            identity: ServiceIdentity(name: "bench", version: "1"), methods: BenchContract.table, onFault: { _ in })
        try await server.run(on: ListeningSocket(path: SocketPath(path)), until: { await forever() })
    }

    private static func forever() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }

    /// - Parameter onLoop: whether the callers run on the client's event loop, which saves a change of threads per call.
    static func measure(path: String, underWay: Int, seconds: Double, onLoop: Bool) async throws -> Latencies {
        try await RPCClient.withConnection(to: SocketPath(path), as: "rpc-bench") { client in
            let executor: LoopExecutor? = onLoop ? .shared : nil
            return try await withTaskExecutorPreference(executor) {
                try await call(client, underWay: underWay, until: .now() + .nanoseconds(Int64(seconds * 1e9)))
            }
        }
    }

    private static func call(_ client: RPCClient, underWay: Int, until: NIODeadline) async throws -> Latencies {
        try await withThrowingTaskGroup(of: Latencies.self) { group in
            for _ in 0..<underWay {
                group.addTask {
                    var latencies = Latencies()
                    var now = NIODeadline.now()
                    while now < until {
                        let start = now
                        _ = try await client.call(BenchContract.get, BenchContract.key)
                        now = .now()
                        latencies.add(now - start)
                    }
                    return latencies
                }
            }
            return try await group.reduce(into: Latencies()) { $0.add($1) }
        }
    }
}
