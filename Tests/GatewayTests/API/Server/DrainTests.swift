import FeedContract
import Foundation
import Logging
import RPC
import RPCTestKit
import Testing
import Timing

@testable import gateway

/// The graceful shutdown of the server.
@Suite struct DrainTests {
    @Test func `idle connections are closed, and new ones are rejected`() async throws {
        try await RunningAPI.with { api in
            let idle = try await connectIdle(api)
            api.stop()
            #expect(await idle.wire.rest().isEmpty)
            await api.ended()
            await #expect(throws: (any Error).self) { try await api.connect() }
        }
    }

    @Test(arguments: [1, 8, 40]) func `connections that no task serves yet are closed with the listener`(
        count: Int
    ) async throws {
        try await RunningAPI.withRegistry(of: FakeServices()) { registry in
            let (logger, loops) = (Logger(label: "test"), HTTPLoops(count: 1, clock: ManualClock()))
            let listener = try await HTTPListener.bind(
                HTTPAddress(host: "127.0.0.1", port: 0), loops: loops, logger: logger)
            let api = API(
                gateway: Gateway(registry, HTTPLimits()), publicURL: PublicURL(listener.address),
                limits: HTTPLimits(), budget: listener.budget, metrics: listener.metrics)
            var peers: [HTTPPeer] = []
            for _ in 1...count { peers.append(try await HTTPPeer.connect(port: listener.address.port)) }
            // NIO takes a few of them from the system before anybody asks for them.
            try await eventually { listener.unserved.count > 0 }
            let serving = Task {
                await listener.serve(api, log: RequestLog(logger, .none), drainTime: .seconds(1)) {}
            }
            serving.cancel()
            await serving.value
            for peer in peers { #expect(await peer.wire.rest().isEmpty) }
            #expect(listener.unserved.count == 0)
        }
    }

    @Test func `no client of a passed port is refused while one server takes over from another`() async throws {
        try await RunningAPI.withRegistry(of: FakeServices()) { registry in
            let (logger, loops) = (Logger(label: "test"), HTTPLoops(count: 2, clock: ManualClock()))
            let port = try PassedPort()
            let clients = Clients()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Clients.count { group.addTask { await clients.run(port.number) } }
                for round in 0..<50 {
                    let listener = try await HTTPListener.bind(
                        .standard, passed: dup(port.descriptor), loops: loops, logger: logger)
                    let api = API(
                        gateway: Gateway(registry, HTTPLimits()), publicURL: PublicURL(listener.address),
                        limits: HTTPLimits(), budget: listener.budget, metrics: listener.metrics)
                    await listener.serve(api, log: RequestLog(logger, .none), drainTime: .seconds(10)) {
                        await listener.metrics.wait { $0.endpoints.values.contains { ($0.byStatus["200"] ?? 0) > 3 } }
                        // The last one serves the clients until they have ended.
                        if round == 49 { await clients.end() }
                    }
                }
            }
            #expect(clients.refusals == 0)
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
        try await RunningAPI.with(services, clock: ManualClock()) { api in
            let (idle, peer) = (try await connectIdle(api), try await api.connect())
            try await peer.request("/v1/image/\(UUID())/data")
            var begun = begun.makeAsyncIterator()
            await begun.next()
            api.stop()
            // All connections of the loop are notified before any later event.
            _ = await idle.wire.rest()
            goOn.finish()
            let reply = try #require(await peer.receive())
            #expect(reply.status == 200 && reply["Connection"] == "close" && reply.body.count == bytes)
            await api.ended()
        }
    }

    @Test func `after 10 seconds requests in progress are cancelled`() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        var services = FakeServices()
        services.load = { _, _ in
            beginning.yield()
            await waitForCancellation()
            throw CancellationError()
        }
        let clock = ManualClock()
        try await RunningAPI.with(services, clock: clock) { api in
            let (idle, peer) = (try await connectIdle(api), try await api.connect())
            try await peer.request("/v1/feed")
            for await _ in begun { break }
            try await stop(api, clock, idle)
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `after 10 seconds a client that does not read is disconnected`() async throws {
        let clock = ManualClock()
        try await RunningAPI.with(.image(LoadedImageOf(6_000_000).loaded), clock: clock) { api in
            let (idle, peer) = (try await connectIdle(api), try await api.connect())
            try await peer.wire.setReading(false)
            try await peer.request("/v1/image/\(UUID())/data")
            await api.budget.wait { $0 >= 6_000_000 }
            try await stop(api, clock, idle)
        }
    }

    @Test func `a client that has connected just before is answered, and closed after a second without a request`()
        async throws
    {
        let clock = ManualClock()
        try await RunningAPI.with(clock: clock) { api in
            let (late, silent) = (try await api.connect(), try await api.connect())
            let idle = try await connectIdle(api)
            api.stop()
            #expect(await idle.wire.rest().isEmpty)
            try await late.request("/healthz")
            let reply = try #require(await late.receive())
            #expect(reply.status == 200 && reply["Connection"] == "close")
            #expect(await late.wire.rest().isEmpty)
            await clock.advance(by: HTTPLimits.firstRequestTime)
            #expect(await silent.wire.rest().isEmpty)
            await api.ended()
        }
    }

    /// A connection whose request has been answered.
    private func connectIdle(_ api: RunningAPI) async throws -> HTTPPeer {
        let idle = try await api.connect()
        try await idle.request("/healthz")
        #expect(await idle.receive()?.status == 200)
        return idle
    }

    /// Stops the server, and lets the drain time pass.
    private func stop(_ api: RunningAPI, _ clock: ManualClock, _ idle: HTTPPeer) async throws {
        api.stop()
        // From now on the drain time counts.
        #expect(await idle.wire.rest().isEmpty)
        await clock.advance(by: .seconds(10))
        await api.ended()
    }
}

/// Clients that send a request over a new connection, again and again.
private final class Clients: Sendable {
    static let count = 4

    private struct State {
        var isEnding = false
        var running = Clients.count
        var refusals = 0
    }

    private let state = Watched(State())

    var refusals: Int { state.withLock(\.refusals) }

    func run(_ port: Int) async {
        while !state.withLock(\.isEnding) {
            let reply = try? await HTTPPeer.exchange(port: port, "/healthz")
            if reply?.status != 200 { state.withLock { $0.refusals += 1 } }
        }
        state.withLock { $0.running -= 1 }
    }

    /// Returns when each has received its last answer.
    func end() async {
        state.withLock { $0.isEnding = true }
        await state.wait { $0.running == 0 }
    }
}

/// A listening TCP socket that a supervisor owns.
private final class PassedPort: Sendable {
    let descriptor: Int32
    let number: Int

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        number = Int(UInt16(bigEndian: address.sin_port))
        try #require(isBound)
    }

    deinit { close(descriptor) }
}
