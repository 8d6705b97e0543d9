import RPC

/// Calls through the public asynchronous interface.
enum RuntimeCaller {
    /// - Parameter onLoop: whether callers run on the client's event loop, which saves a change of threads per call.
    static func measure(_ load: Load, socket: String, onLoop: Bool) async throws -> Measurement {
        let executor: LoopExecutor? = onLoop ? .shared : nil
        return try await withClients(load.connections, socket) { clients in
            try await withTaskExecutorPreference(executor) {
                try await load.measure(over: clients, call: call)
            }
        }
    }

    private static func withClients<Result: Sendable>(
        _ count: Int, _ socket: String, _ body: ([RPCClient]) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var clients: [RPCClient] = []
            for _ in 0..<count {
                let client = await RPCClient.make(to: try SocketPath(socket), as: "rpc-bench")
                group.addTask { await client.run() }
                clients.append(client)
            }
            defer { group.cancelAll() }
            return try await body(clients)
        }
    }

    /// A call that is shed is made again, when its server has said to.
    private static func call(_ client: RPCClient, _ replyBytes: Int) async throws -> Int {
        let request = BenchContract.Request(askingFor: replyBytes)
        var shed = 0
        while true {
            do throws(RPCError) {
                _ = try await client.call(BenchContract.get, request)
                return shed
            } catch {
                guard error.kind == .overloaded, let pause = error.retryAfter else { throw error }
                shed += 1
                try await Task.sleep(for: .milliseconds(pause))
            }
        }
    }
}
