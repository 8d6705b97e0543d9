import Foundation
import RPC
import RPCTestKit
import Testing

/// Attachments of an answer: protocol §4, `bytes`, and the ways in which they end early.
struct AnswerAttachmentTests {
    /// The JSON of an answer of `echo.blob` with an attachment of this many bytes.
    private static func text(_ id: String, _ count: Int, attachment: UInt32) -> String {
        """
        {"jsonrpc":"2.0","id":\(id),"result":{"data":{"$bytes":{"attachment":0,"size":\(count),\
        "crc32":\(EchoContract.Blob.of(count).data.crc32)}}},"attachments":[\(attachment)]}
        """
    }

    private static func bytes(_ count: Int) -> [UInt8] { Array(EchoContract.Blob.of(count).data.data) }

    @Test func `attachments follow their message in chunks of 64 KiB`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            for (number, count) in [(1, 3), (2, 0), (3, 65_536), (4, 65_537), (5, 200_000)] as [(UInt32, Int)] {
                try await peer.send(blob("7", count))
                try await peer.expect(.message(Self.text("7", count, attachment: number)))
                for frame in WireFrame.attachment(number, Self.bytes(count)) { try await peer.expect(frame) }
            }
            try await peer.expectAlive()
        }
    }

    @Test(arguments: ["{}", #"{"attachments":false}"#])
    func `a caller that does not ask for attachments gets bytes in the text`(meta: String) async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send(blob("1", 3, meta: meta))
            try await peer.expect(.message(bytesAnswer("1", Self.bytes(3))))
        }
    }

    @Test func `without negotiated attachments, requesting them does nothing`() async throws {
        for features in [[], ["parts", "credit", "zlib"]] {
            try await withPeer(of: features) { peer, _ in
                try await peer.send(blob("1", 3))
                try await peer.expect(.message(bytesAnswer("1", Self.bytes(3))))
            }
        }
    }

    @Test func `the items of a stream have attachments`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send(
                """
                {"jsonrpc":"2.0","id":1,"method":"echo.blobs","params":{"bytes":65535},\
                "meta":{"stream":true,"attachments":true}}
                """)
            for (number, count) in zip(UInt32(1)...5, 65_535...65_539) {
                try await peer.expect(
                    .message(
                        """
                        {"jsonrpc":"2.0","method":"rpc.item","params":{"id":1,"item":{"data":{"$bytes":{"attachment":0,\
                        "size":\(count),"crc32":\(EchoContract.Blob.of(count).data.crc32)}}}},"attachments":[\(number)]}
                        """))
                for frame in WireFrame.attachment(number, Self.bytes(count)) { try await peer.expect(frame) }
            }
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":1,"result":{"items":5}}"#))
        }
    }

    // MARK: Ended early

    /// With credit, a sender waits after 262,144 bytes, so the rest is certainly not sent yet.
    private func withAnswerUnderWay(_ body: (WirePeer) async throws -> Void) async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(blob("1", 600_000))
            try await peer.expect(.message(Self.text("1", 600_000, attachment: 1)))
            for frame in WireFrame.attachment(1, Self.bytes(600_000)).prefix(4) { try await peer.expect(frame) }
            try await body(peer)
        }
    }

    @Test func `stopping an attachment is confirmed, and other calls continue`() async throws {
        try await withAnswerUnderWay { peer in
            try await peer.expectAlive()
            try await peer.send(.stop(1))
            try await peer.expect(.aborted(1, "cancelled"))
            // Only once; later grants for it are ignored.
            try await peer.send([.stop(1), .credit(1, 1_000)])
            try await peer.expectAlive()
            // Its id may be used again.
            try await peer.send(blob("1", 3))
            try await peer.expect(
                .message(Self.text("1", 3, attachment: 2)), WireFrame(.lastChunk, 2, Self.bytes(3)))
        }
    }

    @Test func `a call is under way until its attachments are sent`() async throws {
        try await withAnswerUnderWay { peer in
            let answer = try await peer.answer(to: request("1", "rpc.ping"))
            #expect(answer.id == "null" && answer.error?.kind == .invalidRequest)
            try await peer.send(.credit(1, 400_000))
            for frame in WireFrame.attachment(1, Self.bytes(600_000)).dropFirst(4) { try await peer.expect(frame) }
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{}}"#, to: request("1", "rpc.ping"))
        }
    }

    @Test func `cancelling a call aborts its attachments, without another answer`() async throws {
        try await withAnswerUnderWay { peer in
            try await peer.send(cancel("1"))
            try await peer.expect(.aborted(1, "cancelled"))
            try await peer.expectAlive()
        }
    }

    @Test func `a deadline covers the attachments of the answer`() async throws {
        let clock = ManualClock()
        try await withPeer(of: ["bytes", "credit"], executor: .timed(by: clock)) { peer, _ in
            try await peer.send(blob("1", 600_000, meta: #"{"attachments":true,"timeout_ms":500}"#))
            try await peer.expect(.message(Self.text("1", 600_000, attachment: 1)))
            for chunk in WireFrame.attachment(1, Self.bytes(600_000)).prefix(4) { try await peer.expect(chunk) }
            await clock.advance(by: .milliseconds(500))
            try await peer.expect(.aborted(1, "deadline_exceeded"))
            try await peer.expectAlive()
        }
    }

    @Test func `stopping an attachment after its last chunk does nothing`() async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(blob("1", 3))
            _ = try await peer.frames(2)
            try await peer.send(.stop(1))
            try await peer.expectAlive()
        }
    }

    @Test func `a stream that is cancelled during an item's attachments ends`() async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(
                """
                {"jsonrpc":"2.0","id":1,"method":"echo.blobs","params":{"bytes":600000},\
                "meta":{"stream":true,"attachments":true}}
                """)
            #expect(try await peer.frames(5).map(\.kind) == [.message] + Array(repeating: .chunk, count: 4))
            try await peer.send(cancel("1"))
            let frames = try await peer.frames(2)
            #expect(frames.contains(.aborted(1, "cancelled")))
            let answer = try Answer(try #require(frames.first { $0.kind == .message }).text)
            #expect(answer.id == "1" && answer.error?.kind == .cancelled)
            try await peer.expectAlive()
        }
    }
}
