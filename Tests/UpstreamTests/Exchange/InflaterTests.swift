import RPCTestKit
import Testing

@testable import Upstream

struct InflaterTests {
    @Test(arguments: ["gzip", "x-gzip", "GZIP", "deflate", "raw"], [1, 7, 1_000_000])
    func `a compressed body is inflated in pieces of any size`(coding: String, pieces: Int) async throws {
        let body = Compressed.text(as: coding)
        try await serve(body, coding, pieces: pieces) { client, url in
            let response = try await client.get(url)
            #expect(Array(response.body) == Compressed.text)
            #expect(response.headers["Content-Encoding"] == nil)
            #expect(response.headers["Content-Length"] == nil)
        }
    }

    @Test(arguments: ["gzip", "deflate", "raw"]) func `a body is inflated up to the limit and no further`(
        coding: String
    ) async throws {
        let body = Compressed.text(as: coding)
        try await serve(body, coding) { client, url in
            let response = try await client.get(UpstreamRequest(url: url, maximumBodyBytes: Compressed.text.count))
            #expect(response.body.count == Compressed.text.count)
            let error = try await client.failure(UpstreamRequest(url: url, maximumBodyBytes: Compressed.text.count - 1))
            #expect(error.part == .inflatedBody)
        }
    }

    @Test func `a decompression bomb ends at the limit`() throws {
        let bomb = Compressed.bomb
        let inflater = try Inflater(.gzip, limit: 1_000)
        let error: UpstreamError? = bomb.withUnsafeBytes { bytes in
            do throws(UpstreamError) {
                try inflater.append(bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(error?.part == .inflatedBody)
        #expect(inflater.output.count == 1_000)
    }

    @Test(arguments: ["gzip", "deflate", "raw"])
    func `a compressed body that is truncated, damaged or followed by bytes is malformed`(coding: String) async throws {
        let body = Compressed.text(as: coding)
        var damaged = body
        damaged[body.count / 2] ^= 0xFF
        for wrong in [Array(body.dropLast()), body + [0], body + body, damaged]
        where coding != "raw" || wrong != damaged {
            try await serve(wrong, coding) { client, url in
                let error = try await client.failure(url)
                #expect(error.isMalformed, "\(error)")
            }
        }
    }

    @Test(arguments: ["br", "zstd", "gzip, gzip", "deflate, gzip", "compress", "gzip;q=1", ",", "gzip,"])
    func `a coding that was not requested is malformed`(coding: String) async throws {
        try await serve([1, 2, 3], coding) { client, url in
            let error = try await client.failure(url)
            #expect(error.isMalformed, "\(error)")
        }
    }

    @Test func `compression is requested, but not for a range`() async throws {
        try await OriginServer.with { _ in
            [.response()]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                _ = try await client.get(server.url)
                _ = try await client.get(UpstreamRequest(url: server.url, headers: ["Range": "bytes=1-"]))
                _ = try await client.get(UpstreamRequest(url: server.url, acceptsCompression: false))
                #expect(
                    server.history.requests.map { $0["Accept-Encoding"] } == ["gzip, deflate", "identity", "identity"])
            }
        }
    }

    @Test func `a range of a compressed body is malformed`() async throws {
        try await OriginServer.with { _ in
            [.response(206, [("Content-Encoding", "gzip")], text: "x")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let error = try await client.failure(server.url)
                #expect(error.isMalformed, "\(error)")
            }
        }
    }

    private func serve(
        _ body: [UInt8], _ coding: String, pieces: Int = 1_000_000,
        _ test: (UpstreamClient, String) async throws -> Void
    ) async throws {
        let name = coding == "raw" ? "deflate" : coding
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(name)\r\nContent-Length: \(body.count)\r\n\r\n"
        try await OriginServer.with { _ in
            [.send(head), .drip(body, pieces: pieces)]
        } _: { server in
            try await withClient(.trusting(server)) { try await test($0, server.url) }
        }
    }
}
