import RPC
import RPCTestKit

/// Runs `body` with a client of a server of the echo contract.
func withClient(
    gate: Gate = Gate(), limits: Limits = Limits(), client: Limits = Limits(), executor: LoopExecutor = .shared,
    _ body: @Sendable (RPCClient, TestServer) async throws -> Void
) async throws {
    try await TestServer.with(EchoContract.table(gate), limits: limits, executor: executor) { server in
        try await RPCClient.withConnection(to: server.path, as: "test", limits: client, executor: executor) {
            try await body($0, server)
        }
    }
}
