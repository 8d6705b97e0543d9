import RPC
import RPCTestKit
import Testing

/// Limits for message sizes and for calls under way at the peer.
struct ClientLimitTests {
    @Test func `a message over the limit is refused before it leaves, and the connection lives on`() async throws {
        var limits = Limits()
        limits.frameBytes = 1_000
        try await withClient(client: limits) { client, _ in
            let error = await #expect(throws: RPCError.self) {
                try await client.call(EchoContract.echo, .init(text: String(repeating: "x", count: 1_000)))
            }
            #expect(error?.kind == .tooLarge)
            #expect(error?.begun == false)
            try await client.expectEcho()
        }
    }

    @Test func `a request over the server's message limit is refused`() async throws {
        var limits = Limits()
        limits.frameBytes = 1_000
        try await withClient(limits: limits) { client, _ in
            _ = try await client.call(EchoContract.echo, .init(text: "once greeted"))
            let error = await #expect(throws: RPCError.self) {
                try await client.call(EchoContract.echo, .init(text: String(repeating: "x", count: 1_000)))
            }
            #expect(error?.kind == .tooLarge)
            try await client.expectEcho()
        }
    }

    @Test func `calls above the peer's limit are queued`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.callsPerConnection = 3
        try await withClient(gate: gate, limits: limits) { client, _ in
            _ = try await client.call(EchoContract.echo, .init(text: "once greeted"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { _ = try await client.call(EchoContract.wait, .init(text: "\(number)")) }
                }
                for _ in 0..<20 { gate.open(try #require(await gate.arrival())) }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a queued call can be cancelled, and its deadline holds, and the server never sees it`()
        async throws
    {
        let clock = ManualClock()
        try await WireListener.with { listener in
            try await RPCClient.withConnection(
                to: listener.path, as: "test", executor: .timed(by: clock)
            ) { client in
                let first = Task { try await client.call(EchoContract.echo, .init(text: "first")) }
                let peer = try await listener.acceptGreeting(callsPerConnection: 1)
                _ = try await peer.receive()
                // The answer to the greeting is read before any later message.
                try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"first"}}"#)
                #expect(try await first.value.text == "first")

                let second = Task { try await client.call(EchoContract.echo, .init(text: "second")) }
                _ = try await peer.receive()
                let queued = Task {
                    try await client.call(
                        EchoContract.echo, .init(text: "late"), CallOptions(timeout: .milliseconds(30)))
                }
                await clock.advance(by: .milliseconds(30), once: 1)
                let late = await #expect(throws: RPCError.self) { try await queued.value }
                #expect(late?.kind == .deadlineExceeded)
                #expect(late?.begun == false)
                let cancelled = Task { try await client.call(EchoContract.echo, .init(text: "cancelled")) }
                cancelled.cancel()
                let error = await #expect(throws: RPCError.self) { try await cancelled.value }
                #expect(error?.kind == .cancelled)

                try await peer.send(#"{"jsonrpc":"2.0","id":2,"result":{"text":"second"}}"#)
                #expect(try await second.value.text == "second")
                let last = Task { try await client.call(EchoContract.echo, .init(text: "last")) }
                #expect(try await peer.receive()?.contains("\"last\"") == true)
                try await peer.send(#"{"jsonrpc":"2.0","id":5,"result":{"text":"last"}}"#)
                #expect(try await last.value.text == "last")
            }
        }
    }
}
