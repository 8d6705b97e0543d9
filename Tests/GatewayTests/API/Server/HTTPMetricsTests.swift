import FeedContract
import HTTPTypes
import NIOCore
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// What is counted of the requests.
@Suite struct HTTPMetricsTests {
    private typealias Endpoint = HTTPMetrics.Endpoint

    private static let id = "6A2B2B9E-5B4E-4A53-8F5B-0A9B0C0D0E0F"

    @Test func `answers are counted by the path's template, the method and the status`() async throws {
        try await RunningAPI.with { api in
            for target in ["/v1/feed", "/v1/feed?limit=3", "/v1/feed?limit=0", "/image/\(Self.id)", "/nothing/1"] {
                _ = try await api.exchange(target)
            }
            _ = try await api.exchange("/nothing/2", method: "PROPFIND")
            _ = try await api.exchange("/v1/feed", method: "DELETE")
            await api.metrics.wait { $0.underWay == 0 }
            let endpoints = api.metrics.counts.endpoints
            #expect(endpoints[Endpoint(route: "/v1/feed", method: "GET")]?.byStatus == ["200": 2, "400": 1])
            #expect(endpoints[Endpoint(route: "/image/{id}", method: "GET")]?.byStatus.values.reduce(0, +) == 1)
            #expect(endpoints[Endpoint(route: "unknown", method: "GET")]?.byStatus == ["404": 1])
            #expect(endpoints[Endpoint(route: "unknown", method: "other")]?.byStatus == ["404": 1, "405": 1])
            #expect(endpoints.count == 4)
        }
    }

    @Test func `the bytes of bodies and the times of answers are counted`() async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("/v1/feed")
            _ = try await api.exchange("/v1/feed", method: "HEAD")
            await api.metrics.wait { $0.underWay == 0 }
            let endpoints = api.metrics.counts.endpoints
            let get = try #require(endpoints[Endpoint(route: "/v1/feed", method: "GET")])
            #expect(get.bytes == reply.body.count)
            #expect(get.time.count == 1)
            #expect(get.timeToFirstByte.count == 1)
            #expect(endpoints[Endpoint(route: "/v1/feed", method: "HEAD")]?.bytes == 0)
        }
    }

    @Test func `bytes that are no valid request are counted by the status of their refusal`() async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.send("NO SENSE AT ALL\r\n\r\n")
            #expect(await peer.receive()?.status == 400)
            let refused = api.metrics.counts.endpoints[Endpoint(route: "unknown", method: "unknown")]
            #expect(refused?.byStatus == ["400": 1])
        }
    }

    @Test func `a request that its client gives up is counted without a status`() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        var services = FakeServices()
        services.load = { _, _ in
            beginning.yield()
            await waitForCancellation()
            throw CancellationError()
        }
        try await RunningAPI.with(services) { api in
            let peer = try await api.connect()
            try await peer.request("/v1/feed")
            for await _ in begun { break }
            #expect(api.metrics.counts.underWay == 1)
            #expect(api.metrics.counts.connections == 1)
            try await peer.wire.close()
            await api.metrics.wait { $0.connections == 0 && $0.underWay == 0 }
            let feed = try #require(api.metrics.counts.endpoints[Endpoint(route: "/v1/feed", method: "GET")])
            #expect(feed.byStatus == ["none": 1])
            #expect(feed.time.count == 0)
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1", nil, HTTPCaller.local), ("127.9.9.9", nil, .local), ("::1", nil, .local),
            ("::ffff:127.0.0.1", nil, .local), ("192.0.2.1", nil, .remote), ("::ffff:192.0.2.1", nil, .remote),
            ("::2", nil, .remote), ("fe80::1", nil, .remote), ("127.0.0.1", "Forwarded", .remote),
            ("127.0.0.1", "X-Forwarded-For", .remote), ("127.0.0.1", "Via", .remote), (nil, nil, .remote),
        ] as [(String?, String?, HTTPCaller)])
    func `only a client on loopback that no proxy speaks for is local`(
        address: String?, field: String?, caller: HTTPCaller
    ) throws {
        var request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
        if let field { request.headerFields[try #require(HTTPField.Name(field))] = "192.0.2.7" }
        let address = try address.map { try SocketAddress(ipAddress: $0, port: 1) }
        #expect(HTTPCaller(request, from: address) == caller)
    }
}
