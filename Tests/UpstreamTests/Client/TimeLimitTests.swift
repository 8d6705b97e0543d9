import RPCTestKit
import Testing

@testable import Upstream

@Suite(.timeLimit(.minutes(5))) struct TimeLimitTests {
    private static let short = Duration.milliseconds(100)

    @Test func `a header that is missing or arrives byte by byte times out`() async throws {
        let slow = Array("HTTP/1.1 200 OK\r\nA: \(String(repeating: "x", count: 10_000))".utf8)
        for steps in [
            [OriginStep.stall], [.drip(slow, pieces: 1, every: 5)], [.send("HTTP/1.1 103 Early\r\n\r\n"), .stall],
        ] {
            let error = try await failure(steps) { $0.firstByteTime = Self.short }
            #expect(error.stage == .firstByte, "\(error)")
        }
    }

    @Test func `a body that stalls times out and can be resumed`() async throws {
        let steps: [OriginStep] = [.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 5\r\n\r\nwh"), .stall]
        let error = try await failure(steps) { $0.stallTime = Self.short }
        #expect(error.stage == .stall, "\(error)")
        #expect(error.partial?.text == "wh")
        #expect(error.partial?.headers["etag"] == "\"1\"")
    }

    @Test func `a body that arrives byte by byte times out`() async throws {
        let steps: [OriginStep] = [
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx"),
            .drip([UInt8](repeating: 0, count: 99_999), pieces: 1, every: 5),
        ]
        let error = try await failure(steps) {
            $0.totalTime = .seconds(5)
            $0.stallTime = .seconds(20)
        }
        #expect(error.stage == .total, "\(error)")
        #expect(error.partial?.body.isEmpty == false)
    }

    @Test(arguments: [(100, 60_000), (60_000, 100)])
    func `a request may set a lower time limit than the client, but not a higher one`(
        request: Int, client: Int
    ) async throws {
        try await OriginServer.with { _ in
            [.stall]
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.totalTime = .milliseconds(client)
            settings.limits.firstByteTime = .seconds(60)
            try await withClient(settings) { client in
                let error = try await client.failure(
                    UpstreamRequest(url: server.url, totalTime: .milliseconds(request)))
                #expect(error.stage == .total, "\(error)")
            }
        }
    }

    @Test func `redirects do not restart the time limit`() async throws {
        let error = try await failure([.pause(20), .redirect(to: "/")]) {
            $0.totalTime = .milliseconds(100)
            $0.redirects = 1_000
        }
        #expect(error.stage == .total, "\(error)")
    }

    @Test func `a server that does not accept connections times out`() async throws {
        try await withDeafListener { port in
            var settings = UpstreamSettings()
            settings.trusted = [try UpstreamEndpoint("127.0.0.1:\(port)")]
            settings.limits.connectTime = Self.short
            try await withClient(settings) { client in
                let error = try await client.failure("http://127.0.0.1:\(port)/")
                #expect(error.stage == .connect, "\(error)")
            }
        }
    }

    @Test func `a server that does not answer the handshake times out`() async throws {
        try await OriginServer.with { _ in
            []
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            settings.limits.connectTime = Self.short
            try await withClient(settings) { client in
                let error = try await client.failure("https://\(server.authority)/")
                #expect(error.stage == .connect, "\(error)")
                await server.history.wait(for: .closed(0))
            }
        }
    }

    private func failure(
        _ steps: [OriginStep], _ change: (inout UpstreamLimits) -> Void
    ) async throws -> UpstreamError {
        try await OriginServer.with { _ in
            steps
        } _: { server in
            var settings = try UpstreamSettings.trusting(server)
            change(&settings.limits)
            return try await withClient(settings) { client in
                let error = try await client.failure(server.url)
                await server.history.wait { $0.openConnections == 0 }
                return error
            }
        }
    }
}
