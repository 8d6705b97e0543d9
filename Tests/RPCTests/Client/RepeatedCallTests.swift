import RPC
import RPCTestKit
import Testing

/// Which calls are sent again after the connection was lost while they were being sent: protocol §6.6.
struct RepeatedCallTests {
    /// A call whose request takes seven parts, four more than are sent without a grant.
    private static func call(_ client: RPCClient, _ letter: String, repeatable: Bool) -> Task<String, any Error> {
        Task {
            var options = CallOptions()
            options.isRepeatable = repeatable
            let text = String(repeating: letter, count: 400_000)
            return try await client.call(EchoContract.echo, .init(text: text), options).text
        }
    }

    /// Answers requests with their first letter.
    private static func answer(_ count: Int, _ peer: WirePeer) async throws {
        for _ in 0..<count {
            let request = try #require(try await peer.receive())
            let match = try #require(request.firstMatch(of: /"id":([0-9]+),.*"text":"([a-z])/))
            try await peer.send(#"{"jsonrpc":"2.0","id":\#(match.1),"result":{"text":"\#(match.2)"}}"#)
        }
    }

    @Test func `requests that were sent partly are sent again, whatever their methods and however many`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                // More than the retry budget allows for calls that may have been handled.
                let letters = ["a", "b", "c", "d", "e", "f", "g", "h"]
                let calls = letters.map { Self.call(client, $0, repeatable: false) }
                let first = try await listener.acceptGreeting(features: ["parts", "credit"])
                #expect(try await first.frames(4 * calls.count).allSatisfy { $0.kind == .part })
                try await first.close()
                try await Self.answer(calls.count, try await listener.acceptGreeting())
                for (call, letter) in zip(calls, letters) { #expect(try await call.value == letter) }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a request in parts that was sent completely is sent again only if it is repeatable`(
        repeatable: Bool
    ) async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let call = Self.call(client, "a", repeatable: repeatable)
                let first = try await listener.acceptGreeting(features: ["parts"])
                while let frame = try await first.receiveFrame(), frame.kind != .lastPart {}
                try await first.close()
                let second = try await listener.acceptGreeting()
                if repeatable {
                    try await Self.answer(1, second)
                    #expect(try await call.value == "a")
                } else {
                    let error = await #expect(throws: RPCError.self) { try await call.value }
                    #expect(error?.kind == .unavailable && error?.begun == true)
                    try await expectAlive(client, second, id: 2)
                }
            }
        }
    }
}
