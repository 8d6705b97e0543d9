import JSON
import RPC
import RPCTestKit
import Testing

/// Handlers with large answers wait for capacity, and do not delay other calls meanwhile.
struct AnswerRoomTests {
    private static let large = Method(
        "large.answer", "Once there is room.", params: Empty.codec, answer: Codec<String>.string)

    private static let text = String(repeating: "x", count: 30_000)

    private static let limits: Limits = {
        var limits = Limits()
        limits.queuedBytes = 1_000_000
        return limits
    }()

    private static var methods: MethodTable {
        var methods = MethodTable(Contract(name: "large", version: 1, methods: [large.description]))
        methods.handle(large) { _, context in
            while await !context.room.isThere { try await context.room.wait() }
            return text
        }
        return methods
    }

    @Test(arguments: [1, 30, 200])
    func `calls are answered while many large answers wait, and each gets its answer`(callers: Int) async throws {
        try await TestServer.with(Self.methods, limits: Self.limits) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers {
                        group.addTask {
                            // A caller that has its answer calls again while others wait for theirs.
                            for _ in 0..<2 {
                                let answer = try await client.call(Self.large, Empty())
                                #expect(answer == Self.text)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func `a handler that waits for capacity ends at once when it is cancelled`() async throws {
        let gate = Gate()
        var table = EchoContract.table(gate)
        table.handle(EchoContract.trace) { _, context in
            #expect(await !context.room.isThere)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await #expect(throws: CancellationError.self) { try await context.room.wait() } }
                group.cancelAll()
            }
            try await gate.pass("alone")
            await #expect(throws: CancellationError.self) { try await context.room.wait() }
            try? await gate.pass("waited")
            return .init(text: "")
        }
        try await TestServer.with(table, limits: Self.limits) { server in
            let (peer, other) = (
                try await WirePeer.connect(to: server.path), try await WirePeer.connect(to: server.path)
            )
            try await peer.setReading(false)
            try await peer.send(grow("1", 900_000))
            try await other.expectAlive()
            try await peer.send(request("2", "echo.trace"))
            #expect(await gate.arrival() == "alone")
            gate.open("alone")
            try await other.expectAlive()
            try await peer.send(cancel("2"))
            #expect(await gate.arrival() == "waited")
        }
    }

    @Test func `cancelling the sender of an item ends its waiting, and the stream continues`() async throws {
        var table = EchoContract.table
        table.handle(EchoContract.follow) { _, _, items in
            // The only item that was granted.
            try await items.send(.init(text: "granted"))
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await #expect(throws: CancellationError.self) { try await items.send(.init(text: "cancelled")) }
                }
                group.cancelAll()
            }
            try await items.send(.init(text: "next"))
        }
        try await TestServer.with(table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"echo.follow","params":{"text":""},"meta":{"stream":true,"window":1}}"#
            )
            #expect(try await peer.receive()?.contains("granted") == true)
            try await peer.send(#"{"jsonrpc":"2.0","method":"rpc.grant","params":{"id":1,"items":9}}"#)
            #expect(try await peer.receive()?.contains("next") == true)
            #expect(try await peer.answer().result == #"{"items":2}"#)
        }
    }

    @Test func `a stream waits for room again and again`() async throws {
        let (items, text) = (200, String(repeating: "x", count: 50_000))
        var table = EchoContract.table
        table.handle(EchoContract.follow) { _, _, sink in
            for _ in 0..<items { try await sink.send(.init(text: text)) }
        }
        var limits = Limits()
        limits.queuedBytes = 100_000
        try await TestServer.with(table, limits: limits) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"echo.follow","params":{"text":""},"meta":{"stream":true,"window":1024}}"#
            )
            for _ in 0..<items { #expect(try await peer.receive()?.contains(text) == true) }
            #expect(try await peer.answer().result == #"{"items":200}"#)
        }
    }
}
