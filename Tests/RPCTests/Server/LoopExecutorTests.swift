import JSON
import RPC
import RPCTestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoopExecutorTests {
    private static let place = Method("place.look", "Look.", params: Empty.shape, answer: Place.shape)

    private struct Place: Sendable {
        let handler: Bool
        let away: Bool
        let back: Bool

        static let shape = Shape<Place>.object { object in
            let handler = object.required("handler", .boolean, \.handler)
            let away = object.required("away", .boolean, \.away)
            let back = object.required("back", .boolean, \.back)
            return { members throws(JSONError) in
                Place(handler: try members[handler], away: try members[away], back: try members[back])
            }
        }
    }

    private static var isOnLoop: Bool { LoopExecutor.shared.loop.inEventLoop }

    @Test func `handlers run on the event loop, what they send away does not, and they come back`() async throws {
        var table = MethodTable(Contract(name: "place", version: 1, methods: [Self.place.description]))
        table.handle(Self.place) { _, _ in
            let handler = Self.isOnLoop
            let away = await withTaskExecutorPreference(globalConcurrentExecutor) { Self.isOnLoop }
            return Place(handler: handler, away: away, back: Self.isOnLoop)
        }
        try await TestServer.with(table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                let place = try await client.call(Self.place, Empty())
                #expect(place.handler && !place.away && place.back)
            }
        }
    }

    @Test func `a caller that prefers the event loop is there again when its answer has come`() async throws {
        try await TestServer.with(EchoContract.table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                let wasThere = try await withTaskExecutorPreference(LoopExecutor.shared) {
                    try await client.expectEcho()
                    return Self.isOnLoop
                }
                #expect(wasThere)
            }
        }
    }
}
