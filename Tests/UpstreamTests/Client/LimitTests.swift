import RPCTestKit
import Testing

@testable import Upstream

/// Every limit: at the limit and one above it.
struct LimitTests {
    private static let limit = 1_000

    private static func chunked(_ count: Int, pieces: Int) -> [UInt8] {
        var bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for start in stride(from: 0, to: count, by: pieces) {
            let length = min(pieces, count - start)
            bytes +=
                Array("\(String(length, radix: 16))\r\n".utf8) + [UInt8](repeating: 0, count: length)
                + Array("\r\n".utf8)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    @Test(arguments: [0, 1]) func `the size of a body is limited, declared or not`(excess: Int) async throws {
        let count = Self.limit + excess
        try await OriginServer.with { request in
            switch request.path {
            case "/declared": [.response(body: [UInt8](repeating: 0, count: count))]
            case "/chunked": [.send(Self.chunked(count, pieces: 100))]
            case "/bytes": [.send(Self.chunked(count, pieces: 1))]
            default: [.send("HTTP/1.1 200 OK\r\n\r\n"), .send([UInt8](repeating: 0, count: count)), .close]
            }
        } _: { server in
            try await withClient(.trusting(server)) { client in
                for path in ["/declared", "/chunked", "/bytes", "/close"] {
                    let request = UpstreamRequest(url: server.url + path, maximumBodyBytes: Self.limit)
                    if excess == 0 {
                        let response = try await client.get(request)
                        #expect(response.body.count == count)
                    } else {
                        let error = try await client.failure(request)
                        #expect(error.part == (path == "/declared" ? .declaredBody : .body), "\(error)")
                    }
                }
            }
        }
    }

    /// The sizes of the comment lists of our own HTTP API.
    @Test(arguments: [6_000_001, UpstreamLimits().bodyBytes]) func `a response of the API may have 16 MiB`(count: Int)
        async throws
    {
        let body = [UInt8](repeating: 0x20, count: count)
        try await OriginServer.with { _ in
            [.response(body: body)]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url)
                #expect(response.body.count == count)
            }
        }
    }

    @Test func `too large a declared length ends the request before the body arrives`() async throws {
        try await OriginServer.with { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(UpstreamLimits().bodyBytes + 1)\r\n\r\n"), .stall]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let error = try await client.failure(server.url)
                #expect(error.part == .declaredBody, "\(error)")
                await server.history.wait(for: .closed(0))
            }
        }
    }

    @Test(arguments: [0, 1]) func `the size of the header is limited`(excess: Int) async throws {
        var settings = UpstreamLimits()
        settings.headerBytes = 500
        // The rest is "Content-Length", "0" and a header named "A".
        let value = String(repeating: "v", count: 500 - 15 - 1 + excess)
        try await OriginServer.with { _ in
            [.response(200, [("A", value)])]
        } _: { server in
            try await expect(excess == 0 ? nil : .header, from: server, with: settings)
        }
    }

    @Test(arguments: [0, 1]) func `the number of headers is limited`(excess: Int) async throws {
        var settings = UpstreamLimits()
        settings.headerCount = 10
        let headers = (0..<9 + excess).map { ("A\($0)", "") }
        try await OriginServer.with { _ in
            [.response(200, headers)]
        } _: { server in
            try await expect(excess == 0 ? nil : .header, from: server, with: settings)
        }
    }

    @Test(arguments: [
        "\r\n", "HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: ", "HTTP/1.1 200 OK\r\nA: ",
    ]) func `an endless part of a response is cut off`(start: String) async throws {
        let filler = start == "\r\n" ? "\r\n" : "x"
        let endless = [OriginStep](repeating: .send(String(repeating: filler, count: 10_000)), count: 100)
        try await OriginServer.with { _ in
            [.send(start)] + endless + [.stall]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let error = try await client.failure(server.url)
                #expect(error.part == .header || error.isMalformed, "\(error)")
                await server.history.wait(for: .closed(0))
            }
        }
    }

    private func expect(
        _ part: UpstreamError.Part?, from server: OriginServer, with limits: UpstreamLimits
    ) async throws {
        var settings = try UpstreamSettings.trusting(server)
        settings.limits = limits
        try await withClient(settings) { client in
            if let part {
                let error = try await client.failure(server.url)
                #expect(error.part == part, "\(error)")
            } else {
                let response = try await client.get(server.url)
                #expect(response.status == 200)
            }
        }
    }
}
