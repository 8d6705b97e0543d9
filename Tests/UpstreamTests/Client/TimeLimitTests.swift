import NIOCore
import RPCTestKit
import Testing
import Timing

@testable import Upstream

/// The time limits of a request. `ConnectionTimeTests` has those of a response.
struct TimeLimitTests {
    private let clock = ManualClock()

    @Test func `a request may set a lower time limit than the client`() async throws {
        try await OriginServer.with { _ in
            [.stall]
        } _: { server in
            try await withClient(.trusting(server), clock: clock) { client in
                async let failure = client.failure(UpstreamRequest(url: server.url, totalTime: .seconds(5)))
                await server.history.wait { $0.requests.count == 1 }
                await clock.advance(by: .seconds(5), once: 1)
                guard case .timedOut(.total, .seconds(5), nil) = try await failure else { throw try await failure }
                await server.history.wait(for: .closed(0))
            }
        }
    }

    @Test func `a request cannot set a higher time limit than the client, and redirects do not restart it`()
        async throws
    {
        let answered = Watched(0)
        try await OriginServer.with { request in
            [.wait { await answered.wait { $0 > request.number } }, .redirect(to: "/")]
        } _: { server in
            try await withClient(.trusting(server), clock: clock) { client in
                async let failure = client.failure(UpstreamRequest(url: server.url, totalTime: .seconds(60)))
                for count in 1...3 {
                    await server.history.wait { $0.requests.count == count }
                    await clock.advance(by: .seconds(9))
                    answered.withLock { $0 = count }
                }
                await server.history.wait { $0.requests.count == 4 }
                await clock.advance(by: .seconds(3), once: 1)
                guard case .timedOut(.total, .seconds(30), nil) = try await failure else { throw try await failure }
            }
        }
    }

    @Test func `a server that does not accept connections times out`() async throws {
        try await withDeafListener { port in
            var settings = UpstreamSettings()
            settings.trusted = [try UpstreamEndpoint("127.0.0.1:\(port)")]
            try await withClient(settings, clock: clock) { client in
                async let failure = client.failure("http://127.0.0.1:\(port)/")
                // The other timer is that of the next address.
                await clock.advance(by: TimeAmount(UpstreamLimits().connectTime), once: 2)
                let error = try await failure
                #expect(error.stage == .connect, "\(error)")
            }
        }
    }

    @Test func `a server that does not answer the handshake times out`() async throws {
        let (arrivals, security) = OriginServer.Security.observed()
        try await OriginServer.with(security: security) { _ in
            []
        } _: { server in
            try await withClient(.trusting(server), clock: clock) { client in
                async let failure = client.failure("https://\(server.authority)/")
                for await _ in arrivals { break }
                await clock.advance(by: TimeAmount(UpstreamLimits().connectTime), once: 1)
                let error = try await failure
                #expect(error.stage == .connect, "\(error)")
                await server.history.wait(for: .closed(0))
            }
        }
    }
}
