import RPC
import RPCTestKit
import Testing

/// Runs `body` with a client and the server's end of its connection, once `rpc.hello` is answered.
func withWireServer(
    _ features: [String] = ["bytes", "parts", "credit"], limits: Limits = Limits(), executor: LoopExecutor = .shared,
    _ body: (RPCClient, WirePeer) async throws -> Void
) async throws {
    try await WireListener.with { listener in
        try await RPCClient.withConnection(
            to: listener.path, as: "test", limits: limits, executor: executor
        ) { client in
            let peer = try await listener.acceptGreeting(features: features)
            try await body(client, peer)
        }
    }
}

func callEcho(_ client: RPCClient) -> Task<String, any Error> {
    Task { try await client.call(EchoContract.echo, .init(text: "a")).text }
}

func expectFailure(
    _ kind: ErrorKind, of task: Task<[UInt8], any Error>, sourceLocation: SourceLocation = #_sourceLocation
) async {
    let error = await #expect(throws: RPCError.self, sourceLocation: sourceLocation) { try await task.value }
    #expect(error?.kind == kind, sourceLocation: sourceLocation)
}

/// Checks that another call is answered, so that the connection is intact.
func expectAlive(
    _ client: RPCClient, _ peer: WirePeer, id: Int, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let call = callEcho(client)
    let received = try await peer.receive()
    #expect(received?.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#) == true, sourceLocation: sourceLocation)
    try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#)
    #expect(try await call.value == "b", sourceLocation: sourceLocation)
}
