import RPCTestKit
import Testing

@testable import Upstream

/// For any bytes from a server, there is an unambiguous response or an error.
struct MalformedTests {
    @Test(arguments: [
        // Ambiguous ends.
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nwhole!",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nwhole", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nwhole", "HTTP/1.1 200 OK\r\nContent-Length: 5 5\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551621\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nwhole",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        // Invalid chunks.
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ng\r\nx\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nx\r\n0\r\n\r\n",
        // Invalid headers.
        "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nA: b\r\n folded: c\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\u{0}: b\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\u{0}\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\rContent-Length: 0\r\r",
        // Other protocols.
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/0.9 200 OK\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "SSH-2.0-OpenSSH\r\n",
        "<html>whole</html>",
        "HTTP/1.1 000 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "\u{0}\u{0}\u{0}",
    ]) func `an ambiguous or invalid response is malformed`(bytes: String) async throws {
        try await OriginServer.with { _ in
            [.send(bytes), .close]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let error = try await client.failure(server.url)
                #expect(error.isMalformed, "\(error)")
            }
            #expect(server.history.requests.count == 1)
        }
    }

    @Test func `the number of informational responses is limited`() async throws {
        let early = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        try await OriginServer.with { request in
            let count = Int(request.path.dropFirst()) ?? 0
            return [.send(String(repeating: early, count: count) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url + "/\(UpstreamLimits.informationalResponses)")
                #expect(response.status == 200)
                let error = try await client.failure(server.url + "/\(UpstreamLimits.informationalResponses + 1)")
                #expect(error.isMalformed, "\(error)")
            }
        }
    }

    @Test func `a caller's header cannot inject other headers or requests`() async throws {
        for (name, value) in [
            ("Host", "x"), ("Content-Length", "5"), ("transfer-encoding", "chunked"), ("Connection", "close"),
            ("Upgrade", "h2c"),
            ("A", "b\r\nC: d"), ("A", "b\nC"), ("A", "\u{0}"), ("A b", "c"), ("A:", "b"), ("", "b"), ("A\r\nB", "c"),
            ("Ä", "b"),
        ] {
            try await withClient { client in
                let error = try await client.failure(
                    UpstreamRequest(url: "http://example.com/", headers: [name: value]))
                #expect(error.refusal == .header(name), "\(error)")
            }
        }
    }
}
