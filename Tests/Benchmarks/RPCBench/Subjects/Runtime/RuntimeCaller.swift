import RPC

/// Calls through the public asynchronous interface.
enum RuntimeCaller {
    /// - Parameters:
    ///   - onLoop: whether callers run on the client's event loop, which avoids a thread change per call. Ordinary callers run
    ///     on the threads of Swift's pool.
    ///   - bytesBeside: whether large replies are verified bytes beside the message instead of text in it.
    static func measure(
        _ load: Load, socket: String, onLoop: Bool, bytesBeside: Bool
    ) async throws -> Measurement {
        let executor: LoopExecutor? = onLoop ? .shared : nil
        return try await withClients(load.connections, socket) { clients in
            try await withTaskExecutorPreference(executor) {
                if load.isCancelling { return try await measureCancelling(load, over: clients) }
                if load.isComputing {
                    return try await load.measure(over: clients) { client, _ in
                        try await call(client, BenchContract.compute, Empty())
                    }
                }
                return try await load.measure(over: clients) { client, replyBytes in
                    guard bytesBeside, replyBytes >= BenchContract.smallestBlob else {
                        return try await get(client, replyBytes)
                    }
                    return try await call(
                        client, BenchContract.blob, BenchContract.Request(askingFor: replyBytes))
                }
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

    static func get(_ client: RPCClient, _ replyBytes: Int) async throws -> Bool {
        try await call(client, BenchContract.get, BenchContract.Request(askingFor: replyBytes))
    }

    /// - Returns: false for a call that failed with `overloaded` because the client's retry budget was used up.
    private static func call<Request, Reply>(
        _ client: RPCClient, _ method: Method<Request, Reply>, _ request: Request
    ) async throws -> Bool {
        do throws(RPCError) {
            _ = try await client.call(method, request)
            return true
        } catch {
            guard error.kind == .overloaded else { throw error }
            return false
        }
    }
}
