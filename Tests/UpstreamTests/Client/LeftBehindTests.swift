import RPCTestKit
import Testing

@testable import Upstream

/// No connection is left, however requests end. Connections are counted at the server, because other tests run in this process
/// too.
struct LeftBehindTests {
    @Test func `a client that was shut down leaves no connection`() async throws {
        try await OriginServer.with { request in
            switch request.path {
            case "/stall": [.stall]
            case "/cut": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nwh"), .close]
            case "/reset": [.reset]
            case "/bad": [.send("nonsense")]
            case "/large": [.response(body: [UInt8](repeating: 0, count: 10_000))]
            case "/loop": [.redirect(to: "/loop")]
            default: [.response(text: "good")]
            }
        } _: { server in
            let (life, death) = AsyncStream.makeStream(of: Void.self)
            do {
                let mark = Mark(death)
                let client = UpstreamClient(try .trusting(server), clock: ManualClock()) { _ in
                    withExtendedLifetime(mark) { .success([]) }
                }
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<5 {
                        for path in ["/stall", "/cut", "/reset", "/bad", "/large", "/loop", "/good"] {
                            group.addTask {
                                let request = UpstreamRequest(url: server.url + path, maximumBodyBytes: 9_999)
                                _ = try? await client.get(request)
                            }
                        }
                    }
                    await server.history.wait { $0.requests.contains { $0.path == "/stall" } }
                    group.cancelAll()
                }
                await client.shutdown()
            }
            await server.history.wait { $0.openConnections == 0 }
            for await _ in life {}
        }
    }

    /// An object that only the client has.
    private final class Mark: Sendable {
        private let death: AsyncStream<Void>.Continuation

        init(_ death: AsyncStream<Void>.Continuation) { self.death = death }

        deinit { death.finish() }
    }
}
