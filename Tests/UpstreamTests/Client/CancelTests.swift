import Foundation
import RPCTestKit
import Testing

@testable import Upstream

/// Cancelling a request in any state ends it at once and leaves no connection.
@Suite(.timeLimit(.minutes(5))) struct CancelTests {
    /// Far below every time limit, and above the delays of a busy machine. The benchmark measures the real time.
    private static let soon = Duration.seconds(1)

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
                var quickest = Duration.seconds(60)
                for round in 0..<5 {
                    let request = Task { try await client.failure(server.url + "/" + place) }
                    await server.history.wait {
                        $0.requests.last.map { $0.connection == round && $0.path != "/redirected" } == true
                    }
                    let start = ContinuousClock.now
                    request.cancel()
                    await server.history.wait(for: .closed(round))
                    quickest = min(quickest, start.duration(to: .now))
                    try await expectCancelled(request)
                }
                #expect(quickest < Self.soon)
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
        let client = UpstreamClient(UpstreamSettings()) { _ in
            gate.wait()
            return .success([])
        }
        let request = Task { try await client.failure("http://name.test/") }
        request.cancel()
        try await expectCancelled(request)
        gate.signal()
        await client.shutdown()
    }

    @Test func `a connection attempt is abandoned`() async throws {
        try await withDeafListener { port in
            let (lookups, lookedUp) = AsyncStream.makeStream(of: Void.self)
            var settings = UpstreamSettings()
            settings.trusted = [try UpstreamEndpoint("name.test:\(port)")]
            settings.limits.connectTime = .seconds(50)
            let client = UpstreamClient(settings) { _ in
                lookedUp.yield()
                return .success([IPAddress(v4: 0x7F00_0001)])
            }
            let request = Task { try await client.failure("http://name.test:\(port)/") }
            for await _ in lookups { break }
            while await client.connections.connecting == 0 { await Task.yield() }
            request.cancel()
            try await expectCancelled(request)
            #expect(await client.connections.connecting == 0)
            await client.shutdown()
        }
    }

    @Test func `a handshake is abandoned`() async throws {
        try await OriginServer.with { _ in
            []
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let request = Task { try await client.failure("https://\(server.authority)/") }
                await server.history.wait(for: .opened(0))
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
        try await OriginServer.with { request in
            request.path == "/slow" ? [.pause(10), .response(text: "slow")] : [.response(text: "fast")]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.connectionsPerOrigin = 1
            try await withClient(settings) { client in
                for round in 0..<20 {
                    let slow = Task { try await client.get(server.url + "/slow") }
                    await server.history.wait { $0.requests.filter { $0.path == "/slow" }.count == round + 1 }
                    slow.cancel()
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
