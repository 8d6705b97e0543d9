import NIOCore
import RPCTestKit
import Testing
import Timing

@testable import Upstream

struct InterruptionTests {
    @Test(
        arguments: [
            "Content-Length: 10\r\n\r\nwhole", "Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n", "Transfer-Encoding: chunked\r\n\r\n9\r\nwhole",
        ], [OriginStep.close, .reset]) func `an incomplete body is an error that can be resumed`(
            rest: String, end: OriginStep
        ) async throws
    {
        let bytes = "HTTP/1.1 200 OK\r\nETag: \"1\"\r\n" + rest
        let (clock, mayAnswer, mayEnd) = (ManualClock(), Watched(false), Watched(false))
        try await OriginServer.with { request in
            if request["Range"] == "bytes=5-", request["If-Range"] == "\"1\"" {
                return [.response(206, [("Content-Range", "bytes 5-9/10")], text: " rest")]
            }
            return [
                .wait { await mayAnswer.wait { $0 } }, .send(bytes), .wait { await mayEnd.wait { $0 } }, end,
            ]
        } _: { server in
            try await withClient(.trusting(server), clock: clock) { client in
                async let failure = client.failure(server.url)
                await server.history.wait { $0.requests.count == 1 }
                // Those for the header and for the whole request.
                await clock.waitForTimers(2, within: TimeAmount(UpstreamLimits().totalTime))
                await clock.advance(by: .seconds(1))
                mayAnswer.withLock { $0 = true }
                // A reset must not overtake the bytes: the client has read them when it waits for more.
                await clock.waitForTimer(in: TimeAmount(UpstreamLimits().stallTime))
                mayEnd.withLock { $0 = true }
                let error = try await failure
                #expect(error.isInterrupted, "\(error)")
                let partial = try #require(error.partial)
                #expect(partial.status == 200 && partial.text == "whole" && partial.url == server.url + "/")
                let etag = try #require(partial.headers["ETag"])
                let response = try await client.get(
                    UpstreamRequest(
                        url: server.url, headers: ["Range": "bytes=\(partial.body.count)-", "If-Range": etag]))
                #expect(response.status == 206 && response.text == " rest")
            }
        }
    }

    @Test func `a compressed body or one without bytes cannot be resumed`() async throws {
        let compressed = Compressed.gzip
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(compressed.count)\r\n\r\n"
        for bytes in [Array(head.utf8) + compressed.dropLast(10), Array(head.utf8), Array(head.utf8.prefix(30))] {
            try await OriginServer.with { _ in
                [.send(bytes), .close]
            } _: { server in
                try await withClient(.trusting(server)) { client in
                    let error = try await client.failure(server.url)
                    #expect(error.isInterrupted, "\(error)")
                    #expect(error.partial == nil)
                }
            }
        }
    }

    @Test func `a port without a listener is unreachable`() async throws {
        var settings = UpstreamSettings()
        settings.trusted = [try UpstreamEndpoint("127.0.0.1:1")]
        try await withClient(settings) { client in
            let error = try await client.failure("http://127.0.0.1:1/")
            #expect(error.isUnreachable)
            #expect("\(error)".contains("refused"), "\(error)")
        }
    }
}
