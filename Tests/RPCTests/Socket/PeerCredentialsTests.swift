import Foundation
import RPCTestKit
import Testing

@testable import RPC

struct PeerCredentialsTests {
    @Test func `a handler receives the caller's credentials`() async throws {
        var table = EchoContract.table
        table.handle(EchoContract.trace) { _, context in
            EchoContract.Text(text: "\(context.peer?.user ?? .max) \(context.peer?.process ?? .max)")
        }
        try await TestServer.with(table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let answer = try await peer.answer(to: request("1", "echo.trace"))
            #expect(answer.result == #"{"text":"\#(geteuid()) \#(getpid())"}"#)
        }
    }
}
