import JSON
import RPC
import RPCTestKit
import Testing

/// Handlers with large answers wait for room; what they wait for costs nobody else's calls anything.
@Suite(.timeLimit(.minutes(5))) struct AnswerRoomTests {
    private static let large = Method(
        "large.answer", "Once there is room.", params: Empty.shape, answer: Shape<String>.string)

    private static let text = String(repeating: "x", count: 30_000)

    private static let limits: Limits = {
        var limits = Limits()
        limits.queuedBytes = 1_000_000
        return limits
    }()

    private static var methods: MethodTable {
        var methods = MethodTable(Contract(name: "large", version: 1, methods: [large.description]))
        methods.handle(large) { _, context in
            while await !context.room.isThere { await context.room.wait() }
            return text
        }
        return methods
    }

    @Test(arguments: [1, 30, 200])
    func `calls come through while many large answers wait, and each gets its answer`(callers: Int) async throws {
        try await TestServer.with(Self.methods, limits: Self.limits) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<callers {
                        group.addTask {
                            // Whoever has an answer asks again while others wait for theirs.
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
}
