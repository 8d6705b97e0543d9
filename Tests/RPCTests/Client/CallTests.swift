import RPC
import RPCTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct CallTests {
    @Test func `an answer comes back to its call`() async throws {
        try await TestServer.with(EchoContract.table) { server in
            let answer = try await RPCClient.withConnection(to: server.path, as: "test") { client in
                try await client.call(EchoContract.echo, .init(text: "hello"))
            }
            #expect(answer == .init(text: "hello"))
        }
    }
}
