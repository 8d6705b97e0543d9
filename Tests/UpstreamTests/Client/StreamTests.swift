import NIOCore
import RPCTestKit
import Testing
import Timing

@testable import Upstream

/// Bodies that are received in pieces.
struct StreamTests {
    private func stream(_ text: Watched<String>) -> UpstreamStream {
        UpstreamStream(mediaType: "text/event-stream") { bytes in
            text.withLock { $0 += String(buffer: bytes) }
        }
    }

    private static func head(_ type: String, status: String = "200 OK") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n"
    }

    @Test func `a body is received as it arrives`() async throws {
        let text = Watched("")
        try await OriginServer.with { _ in
            [.send(Self.head("Text/Event-Stream; charset=utf-8")), .send("3\r\n:a\n\r\n")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let request = Task {
                    try await client.get(UpstreamRequest(url: server.url, stream: stream(text)))
                }
                await text.wait { $0 == ":a\n" }
                request.cancel()
                await #expect(throws: UpstreamError.self) { try await request.value }
            }
        }
    }

    @Test(arguments: [("text/html", "200 OK"), ("text/event-stream", "404 Not Found")])
    func `another type or status is a usual response`(type: String, status: String) async throws {
        let text = Watched("")
        try await OriginServer.with { _ in
            [.send(Self.head(type, status: status)), .send("3\r\n:a\n\r\n0\r\n\r\n")]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let response = try await client.get(UpstreamRequest(url: server.url, stream: stream(text)))
                #expect(response.text == ":a\n" && text.withLock { $0.isEmpty })
            }
        }
    }

    @Test(arguments: [0, 1]) func `the size of a streamed body is limited`(excess: Int) async throws {
        let text = Watched("")
        try await OriginServer.with { _ in
            [
                .send(Self.head("text/event-stream")),
                .send("\(3 + excess)\r\n:a\n\(excess == 0 ? "" : "\n")\r\n0\r\n\r\n"),
            ]
        } _: { server in
            try await withClient(.trusting(server)) { client in
                let request = UpstreamRequest(url: server.url, maximumBodyBytes: 3, stream: stream(text))
                if excess == 0 {
                    let response = try await client.get(request)
                    #expect(response.body.isEmpty && text.withLock { $0 } == ":a\n")
                } else {
                    #expect(try await client.failure(request).part == .body)
                }
            }
        }
    }
}
