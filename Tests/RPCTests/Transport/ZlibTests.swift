import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// Compressed messages: protocol §4, `zlib`.
struct ZlibTests {
    /// `{"jsonrpc":"2.0","id":1,"method":"rpc.ping"}` compressed by Python's zlib.
    private static let ping: [UInt8] = [
        0x78, 0x9C, 0xAB, 0x56, 0xCA, 0x2A, 0xCE, 0xCF, 0x2B, 0x2A, 0x48, 0x56, 0xB2, 0x52, 0x32, 0xD2, 0x33,
        0x50, 0xD2, 0x51, 0xCA, 0x4C, 0x51, 0xB2, 0x32, 0xD4, 0x51, 0xCA, 0x4D, 0x2D, 0xC9, 0xC8, 0x07, 0x32,
        0x95, 0x80, 0x72, 0x7A, 0x05, 0x99, 0x79, 0xE9, 0x4A, 0xB5, 0x00, 0x2A, 0x21, 0x0D, 0x82,
    ]

    private static func compressed(_ text: String) throws -> WireFrame {
        WireFrame(kind: .compressed, payload: Array(buffer: try #require(Zlib.compress(ByteBuffer(string: text)))))
    }

    @Test func `a compressed request is understood, byte for byte`() async throws {
        try await withPeer(of: ["zlib"]) { peer, _ in
            try await peer.send([1, 0, 0, UInt8(Self.ping.count)] + Self.ping)
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":1,"result":{}}"#))
        }
    }

    @Test func `large answers are compressed only if negotiated`() async throws {
        let plain = #"{"jsonrpc":"2.0","id":1,"result":{"text":"\#(String(repeating: "x", count: 5_000))"}}"#
        try await withPeer(of: ["zlib"]) { peer, _ in
            try await peer.send(grow("1", 5_000))
            let frame = try #require(try await peer.receiveFrame())
            #expect(frame.kind == .compressed && frame.payload.count < 200)
            let text = try Zlib.decompress(ByteBuffer(bytes: frame.payload), limit: 10_000)
            #expect(String(buffer: text) == plain)
        }
        for features in [[], ["bytes", "parts", "credit"]] {
            try await withPeer(of: features) { peer, _ in
                try await peer.send(grow("1", 5_000))
                try await peer.expect(.message(plain))
            }
        }
    }

    @Test func `small messages are not compressed`() async throws {
        try await withPeer(of: ["zlib"]) { peer, _ in
            try await peer.send(growMessage("1", to: 511))
            #expect(try await peer.receiveFrame()?.kind == .message)
            try await peer.send(growMessage("1", to: 512))
            #expect(try await peer.receiveFrame()?.kind == .compressed)
        }
    }

    @Test func `an invalid zlib stream, or one with trailing bytes, is a bad body, and the connection lives`()
        async throws
    {
        let damaged = Self.ping.enumerated().map { $0 == Self.ping.count - 1 ? ~$1 : $1 }
        for (bytes, reason) in [
            ([], "it is damaged or cut off"), ([1, 2, 3], "it is damaged or cut off"),
            (Array(Self.ping.dropLast()), "it is damaged or cut off"), (damaged, "it is damaged or cut off"),
            (Self.ping + [0], "something follows its end"), (Self.ping + Self.ping, "something follows its end"),
        ] as [([UInt8], String)] {
            try await withPeer(of: ["zlib"]) { peer, _ in
                try await peer.send(WireFrame(kind: .compressed, payload: bytes))
                let answer = try await peer.answer()
                #expect(answer.id == "null" && answer.error?.kind == .parseError)
                #expect(answer.error?.message == "a compressed message is not a zlib stream: \(reason)")
                try await peer.expectAlive()
            }
        }
    }

    @Test func `the limit applies to the decompressed length: above it, the frame is bad`() async throws {
        var limits = Limits()
        limits.frameBytes = 100_000
        let text = request("1", "rpc.ping")
        try await withPeer(of: ["zlib"], limits: limits) { peer, _ in
            let spaces = String(repeating: " ", count: 100_000 - text.utf8.count)
            try await peer.send(try Self.compressed(text + spaces))
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":1,"result":{}}"#))
            try await peer.send(try Self.compressed(text + spaces + " "))
            try await peer.expectRejection("a compressed message is over the limit of 100000 bytes", .tooLarge)
        }
    }

    @Test func `a zip bomb takes little more memory than the limit`() throws {
        let bomb = try #require(Zlib.compress(ByteBuffer(repeating: 0x20, count: 5_000_000)))
        #expect(bomb.readableBytes < 50_000)
        let error = #expect(throws: RPCError.self) {
            try Zlib.decompress(bomb, limit: 10_000)
        }
        #expect(error?.kind == .tooLarge)
    }
}
