import NIOCore
import NIOEmbedded
import NIOHTTP1
import RPCTestKit
import Testing
import Timing

@testable import gateway

/// What a connection keeps of a client's bytes.
@Suite struct InputGateTests {
    private let gate = InputGate()
    private let channel = EmbeddedChannel()

    init() throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(gate)
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false, withErrorHandling: false)
        try pipeline.addHandler(ConnectionGuard(gate, AnswerBudget(limit: 1_000_000), HTTPMetrics(), ManualClock()))
    }

    private func send(_ text: String) throws { try channel.writeInbound(ByteBuffer(string: text)) }

    private func parts() throws -> [HTTPServerRequestPart] {
        var parts: [HTTPServerRequestPart] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) { parts.append(part) }
        return parts
    }

    @Test(arguments: [
        ("", true), ("Upgrade: websocket\r\nConnection: Upgrade\r\n", false), ("Upgrade: h2c\r\n", false),
        ("Connection: close\r\n", false), ("Content-Length: 3\r\n", false),
    ]) func `nothing behind the last request reaches the parser`(field: String, isOpen: Bool) throws {
        try send("GET /v1/feed/events HTTP/1.1\r\nHost: a\r\n\(field)\r\n")
        #expect(try parts().count == 2)
        #expect(gate.isOpen == isOpen)
    }

    @Test func `a body of many chunks is one part`() throws {
        let chunks = String(repeating: "1\r\nx\r\n", count: 5_000)
        try send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        #expect(try parts().count == 1)
        try send("0\r\n\r\n")
        let rest = try parts()
        #expect(rest == [.body(ByteBuffer(string: String(repeating: "x", count: 5_000))), .end(nil)])
        #expect(gate.isOpen)
    }

    @Test(arguments: [(HTTPLimits.bodyBytes, true), (HTTPLimits.bodyBytes + 1, false)])
    func `a body ends a byte past its limit`(length: Int, isOpen: Bool) throws {
        let chunk = String(length, radix: 16) + "\r\n" + String(repeating: "x", count: length) + "\r\n"
        try send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk)
        #expect(gate.isOpen == isOpen)
        if isOpen { try send("0\r\n\r\n") }
        #expect(try parts().count == 3)
    }
}
