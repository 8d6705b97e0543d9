import NIOCore
import NIOEmbedded
import NIOHTTP1
import RPCTestKit
import Testing

@testable import Upstream

/// The time limits of a response, on a connection whose server is the test.
struct ConnectionTimeTests {
    private static let limits = UpstreamLimits()
    private let clock = ManualClock()
    private let channel = NIOAsyncTestingChannel()

    @Test(arguments: ["", "HTTP/1.1 103 Early\r\n\r\n", "HTTP/1.1 200 OK\r\nA: xx"])
    func `a header that is missing or arrives byte by byte times out`(bytes: String) async throws {
        async let failure = try request()
        let end = try await deadline(Self.limits.firstByteTime)
        for byte in bytes.utf8 {
            try await receive([byte])
            await clock.advance(by: .milliseconds(100))
        }
        await expectOpen(until: end)
        #expect(try await failure.stage == .firstByte)
        #expect(!channel.isActive)
    }

    @Test func `a body that stalls times out and can be resumed`() async throws {
        async let failure = try request()
        _ = try await deadline(Self.limits.firstByteTime)
        try await receive(Array("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 5\r\n\r\nwh".utf8))
        await clock.advance(by: TimeAmount(Self.limits.stallTime) - .nanoseconds(1))
        try await receive(Array("o".utf8))
        await expectOpen(until: clock.now + TimeAmount(Self.limits.stallTime))
        let error = try await failure
        #expect(error.stage == .stall, "\(error)")
        #expect(error.partial?.text == "who")
        #expect(error.partial?.headers["etag"] == "\"1\"")
        #expect(!channel.isActive)
    }

    @Test func `a body that arrives byte by byte times out and can be resumed`() async throws {
        async let failure = try request()
        let end = try await deadline(Self.limits.totalTime)
        try await receive(Array("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n".utf8))
        for _ in 0..<3 {
            await clock.advance(by: .seconds(9))
            try await receive(Array("x".utf8))
        }
        await expectOpen(until: end)
        let error = try await failure
        #expect(error.stage == .total, "\(error)")
        #expect(error.partial?.text == "xxx")
        #expect(!channel.isActive)
    }

    /// Sends a request.
    private func request() async throws -> UpstreamError {
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80))
        return try await Client(channel: channel, clock: clock).failure()
    }

    /// Waits for the request.
    /// - Returns: when this limit has passed since then.
    private func deadline(_ limit: Duration) async throws -> NIODeadline {
        // Those for the header and for the whole request.
        await clock.waitForTimers(2, within: TimeAmount(Self.limits.totalTime))
        return clock.now + TimeAmount(limit)
    }

    private func receive(_ bytes: [UInt8]) async throws { try await channel.writeInbound(ByteBuffer(bytes: bytes)) }

    /// Lets the time pass until `end`; before it the connection is open.
    private func expectOpen(until end: NIODeadline) async {
        await clock.advance(by: end - clock.now - .nanoseconds(1))
        #expect(channel.isActive)
        await clock.advance(by: .nanoseconds(1))
    }
}

/// Sends one request, on the event loop of the channel.
private actor Client {
    private let channel: NIOAsyncTestingChannel
    private let clock: ManualClock

    nonisolated var unownedExecutor: UnownedSerialExecutor { channel.testingEventLoop.asUnownedSerialExecutor() }

    init(channel: NIOAsyncTestingChannel, clock: ManualClock) {
        self.channel = channel
        self.clock = clock
    }

    /// The error of the request.
    func failure() async throws -> UpstreamError {
        let url = try HTTPURL("http://a.example/", limit: 100)
        let limits = UpstreamLimits()
        let connection = try HTTPConnection.begin(
            to: url.origin, on: channel, clock: clock, limits: limits, whenFree: { _ in }, whenClosed: { _ in })
        let reader = ResponseReader(url: url, limits: limits, bodyLimit: limits.bodyBytes)
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target)
        do throws(UpstreamError) {
            _ = try await connection.exchange(head, reader, within: TimeLimit(.total, limits.totalTime, on: clock))
        } catch {
            return error
        }
        throw NoFailure()
    }

    private struct NoFailure: Error {}
}
