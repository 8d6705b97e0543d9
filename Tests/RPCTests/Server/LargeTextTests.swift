import RPCTestKit
import Testing

@testable import RPC

/// Messages that are parsed and decoded on another thread.
struct LargeTextTests {
    private static let large = String(repeating: "l", count: 300_000)

    /// - Parameter excess: how many bytes the message, or the parameters in it, have over the limit.
    @Test(arguments: [-1, 0, 1, 100, 200]) func `texts around the limit are answered alike`(excess: Int) async throws {
        try await withPeer { peer, _ in
            let frame = request("1", "echo.say", #"{"text":""}"#).utf8.count
            let text = String(repeating: "a", count: Limits.textOnLoop + excess - frame)
            let answer = try await peer.answer(to: request("1", "echo.say", #"{"text":"\#(text)"}"#))
            #expect(answer.result == #"{"text":"\#(text)"}"#)
        }
        try await withClient { client, _ in
            let text = String(repeating: "a", count: Limits.textOnLoop + excess - #"{"text":""}"#.utf8.count)
            let answer = try await client.call(EchoContract.echo, .init(text: text))
            #expect(answer.text == text)
        }
    }

    @Test func `what follows a large message takes effect after it`() async throws {
        try await withPeer { peer, _ in
            let call = waiting("1", Self.large)
            try await peer.send([call, cancel("1")].flatMap(WirePeer.frame))
            let answer = try await peer.answer()
            #expect(answer.id == "1" && answer.error?.kind == .cancelled)
            try await peer.expectAlive()
        }
    }

    @Test func `messages behind large ones are read, however many wait`() async throws {
        try await withPeer { peer, _ in
            let many = (0..<1_000).map { request("\($0)", "echo.say", #"{"text":"\#(Self.large.prefix(1_000))"}"#) }
            let all =
                [request("\"a\"", "echo.say", #"{"text":"\#(Self.large)"}"#)] + many
                + [request("\"b\"", "echo.say", #"{"text":"\#(Self.large)"}"#)]
            peer.post(all.flatMap(WirePeer.frame))
            var ids: Set<String> = []
            for _ in all { ids.insert(try await peer.answer().id) }
            #expect(ids.count == all.count)
        }
    }

    @Test func `a large message is answered when its sender has shut down its side`() async throws {
        try await withPeer { peer, _ in
            try await peer.send(request("1", "echo.say", #"{"text":"\#(Self.large)"}"#))
            try await peer.finishSending()
            #expect(try await peer.answer().id == "1")
            #expect(await peer.rest() == [])
        }
    }

    @Test func `a large message that is no JSON is a parse error, and the connection lives on`() async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: "{" + Self.large)
            #expect(answer.id == "null" && answer.error?.kind == .parseError)
            try await peer.expectAlive()
        }
    }

    @Test func `an answer that a server sends before it closes arrives`() async throws {
        try await withWireServer { client, peer in
            let call = callEcho(client)
            _ = try await peer.receive()
            try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"\#(Self.large)"}}"#)
            try await peer.close()
            #expect(try await call.value == Self.large)
        }
    }

    @Test func `a large answer that is no JSON is a violation`() async throws {
        try await withWireServer { client, peer in
            let call = callEcho(client)
            _ = try await peer.receive()
            try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"\#(Self.large)"}"#)
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .invalidData)
        }
    }

    @Test(arguments: ["rpc.hello", "rpc.cancel", "rpc.grant"])
    func `the protocol's own methods take no large parameters`(method: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: request("1", method, #"{"id":"\#(Self.large)"}"#))
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.message.contains("at most \(Limits.textOnLoop) bytes") == true)
            try await peer.expectAlive()
        }
    }

    @Test func `of a long method only the beginning is decoded`() async throws {
        try await withPeer { peer, _ in
            let method = String(repeating: #"\u0061"#, count: 100_000)
            let answer = try await peer.answer(to: request("1", method))
            #expect(answer.error?.kind == .methodNotFound && (answer.error?.message.count ?? 0) < 200)
        }
    }

    @Test func `a long trace counts as absent`() async throws {
        try await withPeer { peer, _ in
            let trace = String(repeating: #"\u0061"#, count: 100_000)
            let answer = try await peer.answer(
                to: #"{"jsonrpc":"2.0","id":1,"method":"echo.trace","meta":{"traceparent":"\#(trace)"}}"#)
            #expect(answer.result == #"{"text":""}"#)
        }
    }
}
