import JSON
import Foundation
import RPC
import RPCTestKit
import Testing

/// Attachments of a request: protocol §4, `bytes`.
struct RequestAttachmentTests {
    private static let abc = Array("abc".utf8)

    @Test func `a request and its attachments, as specified`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send(
                """
                {"jsonrpc":"2.0","id":1,"method":"echo.bytes","params":{"data":{"$bytes":{"attachment":0,"size":3,\
                "crc32":891568578}}},"attachments":[1]}
                """)
            try await peer.send([3, 0, 0, 7, 0, 0, 0, 1] + Self.abc)
            try await peer.expect(
                .message(
                    """
                    {"jsonrpc":"2.0","id":1,"result":{"data":{"$bytes":{"base64":"YWJj","size":3,"crc32":891568578}}}}
                    """))
        }
    }

    @Test(arguments: [0, 1, 2, 3, 1_000], [1, 2, 7, 65_536])
    func `bytes may come in chunks of any size, and in one write with their message`(
        count: Int, chunk: Int
    ) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send([.message(bytesRequest("1", bytes))] + WireFrame.attachment(1, bytes, chunk: chunk))
            try await peer.expect(.message(bytesAnswer("1", bytes)))
        }
    }

    @Test func `chunks may be empty, and frames may come in single bytes`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            let frames = [
                WireFrame.message(bytesRequest("1", Self.abc)), WireFrame(.chunk, 1), WireFrame(.chunk, 1, "ab".utf8),
                WireFrame(.chunk, 1), WireFrame(.lastChunk, 1, "c".utf8),
            ]
            for byte in frames.flatMap(\.bytes) { try await peer.send([byte]) }
            try await peer.expect(.message(bytesAnswer("1", Self.abc)))
        }
    }

    @Test func `attachments of several messages may be in any order, and values refer to them by index`()
        async throws
    {
        let other = Array("other".utf8)
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send([
                .message(bytesRequest("1", Self.abc, attachments: "[7,3]", place: 1)),
                .message(bytesRequest("2", other, attachments: "[4]")),
                WireFrame(.chunk, 4, other.prefix(2)), WireFrame(.chunk, 3, "a".utf8),
                WireFrame(.chunk, 7, "unused".utf8),
                WireFrame(.lastChunk, 4, other.dropFirst(2)), WireFrame(.lastChunk, 3, "bc".utf8),
            ])
            try await peer.expect(.message(bytesAnswer("2", other)))
            // The call waits for all announced attachments.
            try await peer.expectAlive()
            try await peer.send(WireFrame(.lastChunk, 7))
            try await peer.expect(.message(bytesAnswer("1", Self.abc)))
        }
    }

    @Test func `without negotiated attachments, the member is ignored`() async throws {
        for features in [[], ["parts", "credit"]] {
            try await withPeer(of: features) { peer, _ in
                let answer = try await peer.answer(to: bytesRequest("1", Self.abc))
                #expect(answer.error?.kind == .invalidParams)
                #expect(
                    answer.error?.message == "params.data.$bytes.attachment: must be one of 0 attachments, is 0")
                try await peer.expect(
                    #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                    to: #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","attachments":"whatever"}"#)
            }
        }
    }

    @Test(
        arguments: [
            (#""attachment":0,"size":4"#, "size: must be 3, is 4"),
            (#""attachment":0,"crc32":891568579"#, "crc32: must be 891568578, is 891568579"),
            (#""attachment":1"#, "attachment: must be one of 1 attachments, is 1"),
            (#""attachment":-1"#, "attachment: must be"),
            (#""attachment":0,"base64":"YWJj""#, "must have either base64 or attachment"),
            (#""size":3"#, "must have either base64 or attachment"),
            (#""base64":"YWJj","size":2"#, "size: must be 3, is 2"),
            (#""base64":"YWJj","crc32":0"#, "crc32: must be 891568578, is 0"),
            (#""base64":"YWJ""#, "base64: is not valid base64"),
        ])
    func `bytes that do not match their description are invalid parameters, named by their path`(
        members: String, reason: String
    ) async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            let text = """
                {"jsonrpc":"2.0","id":1,"method":"echo.bytes","params":{"data":{"$bytes":{\(members)}}},"attachments":[1]}
                """
            try await peer.send([.message(text)] + WireFrame.attachment(1, Self.abc))
            let answer = try await peer.answer()
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.message.hasPrefix("params.data.$bytes") == true)
            #expect(answer.error?.message.contains(reason) == true)
            try await peer.expectAlive()
        }
    }

    @Test func `a batch has no attachments, and its answers have their bytes in the text`() async throws {
        let meta = #"{"attachments":true}"#
        try await withPeer(of: ["bytes"]) { peer, _ in
            let inline = bytesRequest("2", [], attachments: "[]", meta: meta)
                .replacing(#""attachment":0"#, with: #""base64":"""#)
            try await peer.send("[\(bytesRequest("1", Self.abc, meta: meta)),\(inline)]")
            let frames = try await peer.frames(2)
            #expect(frames.filter { $0.kind == .stop } == [.stop(1)])
            let text = try #require(frames.first { $0.kind == .message }?.text)
            let answers = try RawJSON(checking: text).read(as: .array(of: .any)).map { try Answer($0.description) }
            #expect(answers.map(\.id) == ["1", "2"])
            #expect(answers.map(\.error?.kind) == [.invalidRequest, nil])
            #expect(answers.first?.error?.message.hasPrefix("attachments: ") == true)
            #expect(answers.first?.error?.begun == false)
            #expect(answers.last.map { bytesAnswer("2", []) == $0.text } == true)
            // Chunks that were already sent are discarded.
            try await peer.send(WireFrame(.lastChunk, 1, Self.abc))
            try await peer.expectAlive()
        }
    }

    @Test func `a notification with attachments in a batch does not begin`() async throws {
        let gate = Gate()
        try await withPeer(of: ["bytes"], gate: gate) { peer, _ in
            let notification =
                #"{"jsonrpc":"2.0","method":"echo.wait","params":{"text":"never"},"attachments":[1]}"#
            try await peer.send("[\(notification),\(waiting("1", "first"))]")
            #expect(try await peer.receiveFrame() == .stop(1))
            #expect(await gate.arrival() == "first")
        }
    }

    // MARK: Refused

    @Test(
        arguments: [
            #"{"jsonrpc":"2.0","id":1,"method":"no.such","attachments":[1,2]}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"echo.bytes","params":[],"attachments":[1,2]}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"echo.bytes","meta":{"timeout_ms":0},"attachments":[1,2]}"#,
            #"{"jsonrpc":"2.0","id":1,"attachments":[1,2]}"#,
            #"{"jsonrpc":"2.0","id":1.5,"method":"echo.bytes","attachments":[1,2]}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.hello","params":{"protocols":[1]},"attachments":[1,2]}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{},"attachments":[1,2]}"#,
            #"[{"jsonrpc":"2.0","id":1,"method":"echo.bytes","params":[],"attachments":[1,2]}]"#,
            #"[{"jsonrpc":"2.0","id":1,"method":"no.such","attachments":[1,2]}]"#,
        ])
    func `attachments of a refused message are stopped, and the connection lives`(
        text: String
    ) async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send(text)
            let frames = try await peer.frames(3)
            #expect(frames.filter { $0.kind == .stop } == [.stop(1), .stop(2)])
            #expect(frames.first { $0.kind == .message }?.text.contains("error") == true)
            // One had already begun; its sender confirms the stop.
            try await peer.send(WireFrame.attachment(1, Self.abc, chunk: 2) + [.aborted(2, "cancelled")])
            try await peer.expectAlive()
        }
    }

    @Test(arguments: [
        ("cancelled", ErrorKind.cancelled), ("data_loss", .dataLoss), ("my disk broke", .unavailable),
        ("", .unavailable),
    ])
    func `a request whose attachment is aborted fails with the reason, and the connection lives`(
        reason: String, kind: ErrorKind
    ) async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send([
                .message(bytesRequest("1", Self.abc, attachments: "[1,2,3]")), WireFrame(.lastChunk, 1, Self.abc),
                WireFrame(.chunk, 2, Self.abc), .aborted(2, reason),
            ])
            let frames = try await peer.frames(2)
            #expect(frames.contains(.stop(3)))
            let answer = try Answer(try #require(frames.first { $0.kind == .message }).text)
            #expect(answer.id == "1")
            #expect(answer.error?.kind == kind)
            #expect(answer.error?.begun == false)
            try await peer.send(.aborted(3, reason))
            try await peer.expectAlive()
        }
    }

    @Test func `a call that waits for attachments can be cancelled, and the missing ones are stopped`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send([.message(bytesRequest("1", Self.abc)), WireFrame(.chunk, 1, "a".utf8)])
            try await peer.send(cancel("1"))
            let frames = try await peer.frames(2)
            #expect(frames.contains(.stop(1)))
            let answer = try Answer(try #require(frames.first { $0.kind == .message }).text)
            #expect(answer.error?.kind == .cancelled && answer.error?.begun == false)
            try await peer.send(WireFrame(.lastChunk, 1, "bc".utf8))
            try await peer.expectAlive()
        }
    }

    @Test func `a deadline ends a call whose attachments do not arrive`() async throws {
        let clock = ManualClock()
        try await withPeer(of: ["bytes"], executor: .timed(by: clock)) { peer, _ in
            try await peer.send(bytesRequest("1", Self.abc, meta: #"{"timeout_ms":50}"#))
            try await peer.expectAlive()
            await clock.advance(by: .milliseconds(50))
            let frames = try await peer.frames(2)
            #expect(frames.contains(.stop(1)))
            let answer = try Answer(try #require(frames.first { $0.kind == .message }).text)
            #expect(answer.error?.kind == .deadlineExceeded && answer.error?.begun == false)
            try await peer.send(.aborted(1, "deadline_exceeded"))
            try await peer.expectAlive()
        }
    }

    @Test func `attachments without progress for the frame timeout end their call`() async throws {
        let clock = ManualClock()
        try await withPeer(of: ["bytes", "parts"], executor: .timed(by: clock)) { peer, _ in
            try await peer.send(bytesRequest("1", Self.abc, meta: #"{"timeout_ms":600000}"#))
            try await peer.expectAlive()
            await clock.advance(by: Limits().frameTimeout)
            let frames = try await peer.frames(2)
            #expect(frames.contains(.stop(1)))
            let answer = try Answer(try #require(frames.first { $0.kind == .message }).text)
            #expect(answer.error?.kind == .invalidRequest && answer.error?.begun == false)
            // The call of a message in parts is unknown.
            try await peer.send([.aborted(1, ""), WireFrame(.part, 2, "{".utf8)])
            try await peer.expectAlive()
            await clock.advance(by: Limits().frameTimeout)
            let more = try await peer.frames(2)
            #expect(more.contains(.stop(2)))
            #expect(try Answer(try #require(more.first { $0.kind == .message }).text).id == "null")
            try await peer.expectAlive()
        }
    }

    @Test func `a call whose caller shuts down before its attachments are complete is answered`()
        async throws
    {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send(bytesRequest("1", Self.abc))
            try await peer.finishSending()
            let answer = try await peer.answer()
            #expect(answer.id == "1" && answer.error?.kind == .invalidRequest && answer.error?.begun == false)
            #expect(await peer.rest() == [])
        }
    }
}
