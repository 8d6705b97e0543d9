import RPCTestKit
import Testing

@testable import Upstream

struct ResponseTests {
    @Test func `a response has a status, headers, a body and its URL`() async throws {
        try await OriginServer.with { _ in
            [.response(404, [("X-One", "1"), ("x-one", "2")], text: "nothing")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get("HTTP://127.1:\(server.port)?a=b#fragment")
                #expect(response.status == 404)
                #expect(response.text == "nothing")
                #expect(response.headers["x-One"] == "1")
                #expect(response.headers.all("X-ONE") == ["1", "2"])
                #expect(response.url == "\(server.url)/?a=b")
                let request = try #require(server.history.requests.first)
                #expect(request.method == "GET" && request.target == "/?a=b")
                #expect(request["Host"] == server.authority)
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nwh\r\n3;x=y\r\nole\r\n0\r\nTrailer: 1\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole",
        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nwhole",
        "HTTP/1.1 200\r\ncontent-length:5\r\n\r\nwhole",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: identity\r\n\r\nwhole",
    ]) func `a body is read in every framing`(bytes: String) async throws {
        try await OriginServer.with { _ in
            [.send(bytes)]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url)
                #expect(response.text == "whole")
            }
        }
    }

    @Test func `a body without length ends with the connection`() async throws {
        try await OriginServer.with { _ in
            [.send("HTTP/1.1 200 OK\r\n\r\nwhole"), .close]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url)
                #expect(response.text == "whole")
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
    ]) func `a response may have no body`(bytes: String) async throws {
        try await OriginServer.with { _ in
            [.send(bytes)]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(server.url)
                #expect(response.body.isEmpty)
            }
        }
    }
}
