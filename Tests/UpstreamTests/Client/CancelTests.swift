import Dispatch
import NIOCore
import RPCTestKit
import Testing
import Timing

@testable import Upstream

/// Cancelling a request in any state ends it at once, while no time passes on its clock, and leaves no connection.
struct CancelTests {
    @Test(arguments: ["header", "body", "redirected"])
    func `the connection is closed at once`(place: String) async throws {
        try await OriginServer.with { request in
            switch request.path {
            case "/body": [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nwh"), .stall]
            case "/redirected": [.redirect(to: "/header")]
            default: [.stall]
            }
        } _: { server in
            try await withClient(.trusting(server)) { client in
                for round in 0..<5 {
                    let request = Task { try await client.failure(server.url + "/" + place) }
                    await server.history.wait {
                        $0.requests.last.map { $0.connection == round && $0.path != "/redirected" } == true
                    }
                    request.cancel()
                    await server.history.wait(for: .closed(round))
                    try await expectCancelled(request)
                }
                #expect(await client.connections == (0, 0, 0))
            }
        }
    }

    @Test func `a cancelled request leaves the queue, or gives its connection slot to the next`() async throws {
        try await OriginServer.with {
            $0.path == "/stall" ? [.stall] : [.response()]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.connectionsPerOrigin = 1
            try await withClient(settings) { client in
                let first = Task { try await client.failure(server.url + "/stall") }
                await server.history.wait { $0.requests.count == 1 }
                let second = Task { try await client.failure(server.url + "/second") }
                let third = Task { try await client.get(server.url + "/third") }
                second.cancel()
                try await expectCancelled(second)
                first.cancel()
                try await expectCancelled(first)
                let response = try await third.value
                #expect(response.status == 200)
                #expect(server.history.requests.map(\.path) == ["/stall", "/third"])
            }
        }
    }

    @Test func `waiting for a lookup ends`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (lookups, lookedUp) = AsyncStream.makeStream(of: Void.self)
        let client = UpstreamClient(UpstreamSettings(), clock: ManualClock()) { _ in
            lookedUp.yield()
            gate.wait()
            return .success([])
        }
        let request = Task { try await client.failure("http://name.test/") }
        for await _ in lookups { break }
        request.cancel()
        try await expectCancelled(request)
        gate.signal()
        await client.shutdown()
    }

    @Test func `a connection attempt is abandoned`() async throws {
        try await withDeafListener { port in
            var settings = UpstreamSettings()
            settings.trusted = [try UpstreamEndpoint("127.0.0.1:\(port)")]
            let clock = ManualClock()
            try await withClient(settings, clock: clock) { client in
                let request = Task { try await client.failure("http://127.0.0.1:\(port)/") }
                // The time until the next address is tried begins with an attempt.
                await clock.waitForTimers(within: TimeAmount(UpstreamLimits.attemptDelay))
                #expect(await client.connections.connecting == 1)
                request.cancel()
                try await expectCancelled(request)
                #expect(await client.connections.connecting == 0)
            }
        }
    }

    @Test func `a handshake is abandoned`() async throws {
        let (arrivals, security) = OriginServer.Security.observed()
        try await OriginServer.with(security: security) { _ in
            []
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let request = Task { try await client.failure("https://\(server.authority)/") }
                for await _ in arrivals { break }
                request.cancel()
                try await expectCancelled(request)
                await server.history.wait(for: .closed(0))
            }
        }
    }

    @Test func `a task that is already cancelled sends no request`() async throws {
        try await OriginServer.with { _ in
            [.stall]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let request = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await client.failure(server.url)
                }
                try await expectCancelled(request)
                #expect(server.history.requests.isEmpty)
            }
        }
    }

    @Test func `the response to a cancelled request is discarded`() async throws {
        let cancelled = Watched(0)
        try await OriginServer.with { request in
            guard let round = Int(request.target.trimmingPrefix("/slow?")) else { return [.response(text: "fast")] }
            return [.wait { await cancelled.wait { $0 > round } }, .response(text: "slow")]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.connectionsPerOrigin = 1
            try await withClient(settings) { client in
                for round in 0..<20 {
                    let slow = Task { try await client.get(server.url + "/slow?\(round)") }
                    await server.history.wait { $0.requests.last?.target == "/slow?\(round)" }
                    slow.cancel()
                    cancelled.withLock { $0 += 1 }
                    let response = try await client.get(server.url)
                    #expect(response.text == "fast")
                    _ = await slow.result
                }
            }
        }
    }

    private func expectCancelled(_ request: Task<UpstreamError, any Error>) async throws {
        let error = try await request.value
        #expect(error.isCancelled, "\(error)")
    }
}
