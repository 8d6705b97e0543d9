import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import gateway

/// The handling of a client's bytes by a connection.
@Suite struct ConnectionTests {
    @Test(
        arguments: [
            "GARBAGE\r\n\r\n", "NONSENSE / HTTP/1.1\r\nHost: a\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nx y: z\r\n\r\n",
            "GET /v1/feed HTTP/1.1\r\n\r\n", "GET /v1/feed HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}\r\n\r\n",
        ])
    func `invalid bytes are answered with a problem and the connection closes`(bytes: String) async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.send(bytes)
            let reply = try #require(await peer.receive())
            #expect(reply.status == 400 && reply["Connection"] == "close")
            #expect(try reply.member("kind") == "invalid_request")
            #expect(try reply.member("trace_id")?.count == 32)
            #expect(await peer.wire.rest().isEmpty)
            #expect(try await api.exchange("/healthz").status == 200)
        }
    }

    private static let post = "POST /v1/image/5B0C5F0E-6A1D-4F0B-9A53-2F6C1F3F7D01/comments HTTP/1.1\r\nHost: a\r\n"

    @Test(arguments: [
        ("Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400), ("Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", 400),
        ("Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400), ("Transfer-Encoding: gzip\r\n\r\n", 400),
        ("Transfer-Encoding: chunked, gzip\r\n\r\n", 400), ("Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        ("Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
        ("Content-Length: 3\r\nContent-Length: 4\r\n\r\n", 400),
        ("Content-Length: -3\r\n\r\n", 400), ("Expect: x\r\nContent-Length: 3\r\n\r\n", 417),
        ("Expect: 100-continue, x=\"1\"\r\nTransfer-Encoding: chunked\r\n\r\n", 417),
    ])
    func
        `broken framing of a body and an unknown expectation are refused at once, after the answers to earlier requests`(
            rest: String, status: Int
        ) async throws
    {
        try await RunningAPI.with(writeToken: nil) { api in
            for earlier in [0, 1] {
                let peer = try await api.connect()
                let before = String(repeating: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", count: earlier)
                try await peer.send(before + Self.post + rest)
                for _ in 0..<earlier { #expect(await peer.receive()?.status == 200) }
                let reply = try #require(await peer.receive())
                #expect(reply.status == status && reply["Connection"] == "close")
                #expect(try reply.member("kind") == "invalid_request")
                #expect(await peer.wire.rest().isEmpty)
            }
        }
    }

    @Test func `requests before invalid bytes are answered first`() async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.send("GET /v1/feed HTTP/1.1\r\nHost: a\r\n\r\nGARBAGE\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n")
            #expect(await peer.receive()?.status == 200)
            #expect(await peer.receive()?.status == 400)
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test(arguments: 0..<8) func `random bytes are answered or the connection closes, and others are served`(
        seed: UInt64
    )
        async throws
    {
        try await RunningAPI.with(clock: ManualClock()) { api in
            var random = SeededRandom(seed: seed)
            for _ in 0..<20 {
                let peer = try await api.connect()
                // The server may close the connection before it has read everything.
                peer.wire.post(Self.damaged(&random))
                #expect(try await api.exchange("/healthz").status == 200)
                // The server may wait for the rest of a request.
                try? await peer.wire.finishSending()
                _ = await peer.wire.rest()
            }
        }
    }

    /// Two requests with random bytes changed, removed or repeated.
    private static func damaged(_ random: inout SeededRandom) -> [UInt8] {
        let request = "GET /v1/feed?limit=3 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nRange: bytes=0-1\r\n\r\n"
        var bytes = Array((request + request).utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let range = start..<min(bytes.count, start + Int.random(in: 1...8, using: &random))
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &random)
            case 1 where bytes.count > 20: bytes.removeSubrange(range)
            default: bytes.insert(contentsOf: bytes[range], at: start)
            }
        }
        return bytes
    }

    @Test(arguments: [1, 2, 100])
    func `pipelined requests are answered in order`(count: Int) async throws {
        var services = FakeServices()
        services.load = { params, _ in
            let items = (0..<(params.limit ?? 0)).map { _ in FeedItem(id: UUID(), image: "urn:sha256:00") }
            return LoadedFeed(items: items, nextAfterID: nil, prevBeforeID: nil, origin: .store)
        }
        try await RunningAPI.with(services) { api in
            let peer = try await api.connect()
            let requests = (1...count).map { "GET /v1/feed?limit=\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
            try await peer.send(requests.joined())
            for number in 1...count {
                #expect(await peer.receive()?.text.matches(of: /"id"/).count == number)
            }
        }
    }

    @Test func `fields over their limits are 431`() async throws {
        try await RunningAPI.with { api in
            let (one, all, many) = (
                ["X: " + String(repeating: "x", count: HTTPLimits.fieldBytes + 1)],
                (0..<9).map { "X\($0): " + String(repeating: "x", count: HTTPLimits.headBytes / 8) },
                (0...HTTPLimits.fields).map { "X\($0): x" }
            )
            for fields in [one, all, many] {
                let reply = try await api.exchange("/healthz", fields)
                #expect(reply.status == 431 && reply.text.contains(#""kind":"too_large""#))
            }
            // The maximum number of fields, including Host.
            let most = (1..<HTTPLimits.fields).map { "X\($0): x" }
            #expect(try await api.exchange("/healthz", most).status == 200)
            #expect(try await api.exchange("/healthz", ["X: " + String(repeating: "x", count: 16_000)]).status == 200)
        }
    }

    @Test func `a target longer than any field is 431 and the connection closes`() async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("/" + String(repeating: "x", count: 100_000))
            #expect(reply.status == 431)
        }
    }

    @Test(arguments: ["Content-Length: 5", "Content-Length: 5000000000", "Transfer-Encoding: chunked"])
    func `a body is rejected without being read, and the connection closes`(field: String) async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.request("/v1/feed", [field])
            let reply = try #require(await peer.receive())
            #expect(reply.status == 413 && reply["Connection"] == "close")
            try await peer.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test(arguments: ["Content-Length: 65537", "Content-Length: 5000000000"])
    func `a body that is announced as too large is rejected without being read`(field: String) async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.request("/v1/image/\(UUID())/comments", method: "POST", [field])
            let reply = try #require(await peer.receive())
            #expect(reply.status == 413 && reply["Connection"] == "close" && reply.text.contains("65536"))
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `a body of unknown size is rejected at one byte more than the limit`() async throws {
        try await RunningAPI.with { api in
            for (bytes, status) in [(HTTPLimits.bodyBytes, 415), (HTTPLimits.bodyBytes + 1, 413)] {
                let peer = try await api.connect()
                try await peer.request(
                    "/v1/image/\(UUID())/comments", method: "POST", ["Transfer-Encoding: chunked"])
                try await peer.send("\(String(bytes, radix: 16))\r\n" + String(repeating: "x", count: bytes) + "\r\n")
                if status == 415 { try await peer.send("0\r\n\r\n") }
                let reply = try #require(await peer.receive())
                #expect(reply.status == status)
                #expect(reply["Connection"] == (status == 413 ? "close" : nil))
            }
        }
    }

    @Test func `requests after a body are answered on the same connection`() async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            let head = "POST /v1/image/\(UUID())/comments HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n"
            try await peer.send(head + "abc" + head + "abc" + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await peer.receive()?.status == 415)
            #expect(await peer.receive()?.status == 415)
            #expect(await peer.receive()?.text == "alive\n")
        }
    }

    @Test func `a client that waits before it sends its body is told to continue`() async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.request(
                "/v1/image/\(UUID())/comments", method: "POST", ["Expect: 100-continue", "Content-Length: 3"])
            let head = try #require(await peer.wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)))
            #expect(String(decoding: head, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            try await peer.send("abc")
            #expect(await peer.receive()?.status == 415)
        }
    }

    @Test func `a client is told to continue after the answers to earlier requests`() async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            let expecting = Self.post + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            try await peer.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n" + expecting)
            #expect(await peer.receive()?.status == 200)
            let head = try #require(await peer.wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)))
            #expect(String(decoding: head, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
            try await peer.send("abc")
            #expect(await peer.receive()?.status == 415)
        }
    }

    @Test func `a connection whose body does not arrive is closed after 30 seconds`() async throws {
        let clock = ManualClock()
        try await RunningAPI.with(clock: clock) { api in
            let peer = try await api.connect()
            try await peer.request(
                "/v1/image/\(UUID())/comments", method: "POST", ["Expect: 100-continue", "Content-Length: 3"])
            _ = try #require(await peer.wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)))
            try await peer.send("ab")
            await clock.advance(by: .seconds(30))
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test(arguments: ["websocket", "h2c"])
    func `an upgrade is ignored, and the connection closes after the answer`(name: String) async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.request("/healthz", ["Upgrade: \(name)", "Connection: Upgrade"])
            let reply = try #require(await peer.receive())
            #expect(reply.status == 200 && reply["Connection"] == "close")
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `an empty body is accepted`() async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("/healthz", ["Content-Length: 0"])
            #expect(reply.status == 200)
        }
    }

    @Test(
        arguments: [
            "GET /healthz HTTP/1.0\r\n\r\n", "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n",
        ])
    func `a connection closes after the only answer that its client wants`(request: String) async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.send(request)
            let reply = try #require(await peer.receive())
            #expect(reply.status == 200 && reply["Connection"] == "close")
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `OPTIONS for the server as a whole is answered`() async throws {
        try await RunningAPI.with { api in
            let reply = try await api.exchange("*", method: "OPTIONS")
            #expect(reply.status == 204 && reply["Allow"] == "GET, HEAD, POST, OPTIONS" && reply.body.isEmpty)
            #expect(try await api.exchange("*").status == 400)
        }
    }

    @Test(arguments: [("1.0", "HTTP/1.0 200 OK", false), ("1.1", "HTTP/1.1 200 OK", true)])
    func `a client of HTTP 1.0 gets a stream without chunks`(
        version: String, line: String, isChunked: Bool
    ) async throws {
        try await RunningAPI.with { api in
            let peer = try await api.connect()
            try await peer.send("GET /v1/feed/events HTTP/\(version)\r\nHost: a\r\n\r\n")
            let head = try #require(await peer.wire.receiveBytes(upTo: Array("\r\n\r\n".utf8)))
            let text = String(decoding: head, as: UTF8.self)
            #expect(text.hasPrefix(line) && text.lowercased().contains("transfer-encoding") == isChunked)
        }
    }

    @Test(arguments: ["", "GET /healthz HTTP/1.1\r\nHo"])
    func `a connection without a whole request is closed after 30 seconds`(bytes: String) async throws {
        let clock = ManualClock()
        try await RunningAPI.with(clock: clock) { api in
            let peer = try await api.connect()
            if !bytes.isEmpty { try await peer.send(bytes) }
            #expect(try await api.exchange("/healthz").status == 200)
            await clock.advance(by: .seconds(30))
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `a connection is closed 30 seconds after its last answer`() async throws {
        let clock = ManualClock()
        try await RunningAPI.with(clock: clock) { api in
            let peer = try await api.connect()
            for _ in 1...2 {
                try await peer.request("/healthz")
                #expect(await peer.receive()?.status == 200)
                await clock.advance(by: .seconds(30) - .nanoseconds(1))
            }
            await clock.advance(by: .nanoseconds(1))
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `a request that arrives byte by byte times out`() async throws {
        let clock = ManualClock()
        try await RunningAPI.with(clock: clock) { api in
            let peer = try await api.connect()
            try await peer.send("GET /healthz HTTP/1.1\r\nX: ")
            for _ in 1...3 {
                try await peer.send("X")
                #expect(try await api.exchange("/healthz").status == 200)
                await clock.advance(by: .seconds(10))
            }
            #expect(await peer.wire.rest().isEmpty)
        }
    }

    @Test func `answers that are not read are limited, and one more is rejected`() async throws {
        var limits = HTTPLimits()
        // The storage of one image.
        limits.answerBytes = 8 * 1_024 * 1_024
        // Each item has a different image.
        var services = FakeServices()
        services.get = { selection, _ in FeedItem(id: selection.id, image: "urn:x:\(selection.id)") }
        services.image = { params, _ in LoadedImageOf(6_000_000, sha256: params.url).loaded }
        try await RunningAPI.with(services, limits: limits) { api in
            let deaf = try await api.connect()
            try await deaf.wire.setReading(false)
            try await deaf.request("/v1/image/\(UUID())/data")
            await api.budget.wait { $0 >= 6_000_000 }
            let refused = try await api.exchange("/v1/image/\(UUID())/data")
            #expect(refused.status == 429 && refused["Retry-After"] != nil)
            #expect(try await api.exchange("/healthz").status == 200)
            try await deaf.wire.setReading(true)
            #expect(await deaf.receive()?.body.count == 6_000_000)
            await api.budget.wait { $0 == 0 }
            #expect(try await api.exchange("/v1/image/\(UUID())/data").status == 200)
        }
    }

    @Test func `a client that reads nothing of its answer is closed`() async throws {
        let (image, clock) = (LoadedImageOf(6_000_000), ManualClock())
        try await RunningAPI.with(.image(image.loaded), clock: clock) { api in
            let peer = try await api.connect()
            try await peer.wire.setReading(false)
            try await peer.request("/v1/image/\(UUID())/data")
            await api.budget.wait { $0 >= 6_000_000 }
            // The kernel may take some more bytes before the client counts as stalled.
            while api.budget.heldBytes > 0 {
                #expect(try await api.exchange("/healthz").status == 200)
                await clock.advance(by: HTTPLimits.stallTime)
            }
            // On shutdown the server ends only when its connections have closed.
            api.stop()
            await api.ended()
            try await peer.wire.setReading(true)
            #expect(await peer.wire.rest().count < 6_000_000)
        }
    }

    @Test func `one connection more than the limit waits until another ends`() async throws {
        try await RunningAPI.with(connections: 2) { api in
            let (first, second, third) = (try await api.connect(), try await api.connect(), try await api.connect())
            for peer in [first, second, third] { try await peer.request("/healthz") }
            #expect(await first.receive()?.status == 200)
            #expect(await second.receive()?.status == 200)
            let waiting = Task { await third.receive()?.status }
            try await first.request("/healthz")
            #expect(await first.receive()?.status == 200)
            try await first.wire.close()
            #expect(await waiting.value == 200)
        }
    }

    @Test func `a disconnected client cancels its calls`() async throws {
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let (ends, ending) = AsyncStream.makeStream(of: Void.self)
        var services = FakeServices()
        services.load = { _, _ in
            beginning.finish()
            await waitForCancellation()
            ending.finish()
            throw CancellationError()
        }
        try await RunningAPI.with(services) { api in
            let peer = try await api.connect()
            try await peer.request("/v1/feed")
            for await _ in begun {}
            try await peer.wire.close()
            for await _ in ends {}
        }
    }
}
