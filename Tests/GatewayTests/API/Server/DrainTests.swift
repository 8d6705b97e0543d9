import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The graceful shutdown of the server.
@Suite struct DrainTests {
    private static let oneLoop = HTTPLoops(count: 1)

    @Test func `idle connections are closed, and new ones are rejected`() async throws {
        try await RunningAPI.with { api in
            let idle = try await api.connect()
            try await idle.request("/healthz")
            #expect(await idle.receive()?.status == 200)
            api.stop()
            #expect(await idle.wire.rest().isEmpty)
            await api.ended()
            await #expect(throws: (any Error).self) { try await api.connect() }
        }
    }

    @Test(arguments: [10, 6_000_000])
    func `a request in progress is answered, with Connection close`(bytes: Int) async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (goOns, goOn) = AsyncStream.makeStream(of: Void.self)
        let image = LoadedImageOf(bytes)
        var services = FakeServices.image(image.loaded)
        services.image = { _, _ in
            beginning.yield()
            for await _ in goOns {}
            return image.loaded
        }
        try await RunningAPI.with(services, loops: Self.oneLoop) { api in
            let peer = try await api.connect()
            try await peer.request("/v1/image/\(UUID())/data")
            var begun = begun.makeAsyncIterator()
            await begun.next()
            api.stop()
            // When the port is closed, the connections of its loop are notified before any later event.
            while (try? await api.connect()) != nil {}
            goOn.finish()
            let reply = try #require(await peer.receive())
            #expect(reply.status == 200 && reply["Connection"] == "close" && reply.body.count == bytes)
            await api.ended()
        }
    }

    @Test func `after the drain time requests in progress are cancelled`() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        var services = FakeServices()
        services.load = { _, _ in
            beginning.yield()
            try await Task.sleep(for: .seconds(600))
            throw CancellationError()
        }
        try await RunningAPI.with(services, drainTime: .milliseconds(50)) { api in
            let peer = try await api.connect()
            try await peer.request("/v1/feed")
            var begun = begun.makeAsyncIterator()
            await begun.next()
            api.stop()
            await api.ended()
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `after the drain time a client that does not read is disconnected`() async throws {
        try await RunningAPI.with(
            .image(LoadedImageOf(6_000_000).loaded), drainTime: .milliseconds(50), loops: Self.oneLoop
        ) { api in
            let peer = try await api.connect()
            try await peer.wire.setReading(false)
            try await peer.request("/v1/image/\(UUID())/data")
            // After another answer the request has arrived.
            #expect(try await api.exchange("/healthz").status == 200)
            api.stop()
            await api.ended()
        }
    }
}
