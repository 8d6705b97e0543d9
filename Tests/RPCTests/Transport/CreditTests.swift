import RPC
import RPCTestKit
import Testing

/// Flow control: protocol §4, `credit`.
struct CreditTests {
    private static let window = 262_144

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Receives chunks of an attachment of zeros, in full, until this many bytes have arrived.
    private static func chunks(_ number: UInt32, _ bytes: Int) -> [WireFrame] {
        stride(from: 0, to: bytes, by: 65_536).map { WireFrame(.chunk, number, zeros(min(65_536, bytes - $0))) }
    }

    // MARK: The server sends

    @Test func `each transfer sends one window, and then exactly as many bytes as granted`() async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(blob("1", 400_000))
            try await peer.send(blob("2", 400_000))
            var sent: [UInt32: Int] = [:]
            for frame in try await peer.frames(10) where frame.kind != .message {
                sent[frame.number ?? 0, default: 0] += frame.body.count
            }
            #expect(sent == [1: Self.window, 2: Self.window])
            try await peer.expectAlive()
            for grant in [1, 2, 70_000] {
                try await peer.send(.credit(2, UInt32(grant)))
                var more = 0
                while more < grant {
                    let frame = try #require(try await peer.receiveFrame())
                    #expect(frame.kind == .chunk && frame.number == 2)
                    more += frame.body.count
                }
                #expect(more == grant)
                try await peer.expectAlive()
            }
        }
    }

    @Test func `attachments and a message in parts each have their own credit`() async throws {
        // In this contract, a text of 300,000 bytes cannot have attachments: two calls, two numbers.
        try await withPeer(of: ["bytes", "parts", "credit"]) { peer, _ in
            try await peer.send(grow("1", 300_000))
            #expect(try await peer.frames(4).allSatisfy { $0.kind == .part && $0.number == 1 })
            try await peer.send(blob("2", 300_000))
            #expect(try await peer.frames(5).map(\.kind) == [.message] + Array(repeating: .chunk, count: 4))
            try await peer.send(.credit(2, 300_000))
            #expect(try await peer.receiveFrame()?.kind == .lastChunk)
            try await peer.send(.credit(1, 300_000))
            #expect(try await peer.receiveFrame()?.kind == .lastPart)
        }
    }

    @Test func `a grant for a waiting attachment counts when its turn comes`() async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            // Three of 150,000 bytes: together more than one window, each alone less.
            try await peer.send(blob("1", 150_000))
            try await peer.send(blob("2", 150_000))
            var ended: Set<UInt32> = []
            while ended.count < 2 {
                let frame = try #require(try await peer.receiveFrame())
                if frame.kind == .lastChunk { ended.insert(try #require(frame.number)) }
            }
            #expect(ended == [1, 2])
        }
    }

    @Test func `without flow control everything is sent at once`() async throws {
        try await withPeer(of: ["bytes", "parts"]) { peer, _ in
            try await peer.send(blob("1", 700_000))
            var bytes = 0
            while let frame = try await peer.receiveFrame() {
                if frame.kind != .message { bytes += frame.body.count }
                if frame.kind == .lastChunk { break }
            }
            #expect(bytes == 700_000)
        }
    }

    @Test func `up to 16 MiB may be granted and unused, one byte more ends the connection`() async throws {
        let most = UInt32(16 * 1_024 * 1_024)
        // The window stops the answer of this call, whose credit is then used up. The deadline of the call is far
        // away.
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(blob("1", 300_000))
            _ = try await peer.frames(5)
            try await peer.send(.credit(1, 1))
            _ = try await peer.frames(1)
            // Nothing is left to send after this, so all of it would be unused.
            try await peer.send(.credit(1, most))
            #expect(try await peer.receiveFrame()?.kind == .lastChunk)
            try await peer.send(.credit(1, .max))
            try await peer.expectAlive()
        }
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(blob("1", 300_000))
            _ = try await peer.frames(5)
            try await peer.send(.credit(1, most + 1))
            try await peer.expectRejection("number 1: more than 16777216 bytes granted and not used")
        }
    }

    @Test func `a peer that never grants stops only its own call, which ends at its deadline`() async throws {
        let clock = ManualClock()
        try await withPeer(of: ["bytes", "parts", "credit"], executor: .timed(by: clock)) { peer, _ in
            try await peer.send(blob("1", 600_000, meta: #"{"attachments":true,"timeout_ms":500}"#))
            try await peer.send(request("2", "rpc.ping"))
            try await peer.send(blob("3", 100))
            // In any order: three answers, the bytes of the third, and as many of the first as may be sent.
            let frames = try await peer.frames(8)
            #expect(frames.count { $0.kind == .message } == 3)
            #expect(frames.count { $0.kind == .lastChunk } == 1)
            #expect(frames.filter { $0.kind == .chunk }.map(\.number) == [1, 1, 1, 1])
            await clock.advance(by: .milliseconds(500))
            try await peer.expect(.aborted(1, "deadline_exceeded"))
            try await peer.expectAlive()
        }
    }

    // MARK: The server receives

    @Test func `received bytes are granted again, in steps of half a window`() async throws {
        try await withPeer(of: ["bytes", "credit"]) { peer, _ in
            try await peer.send(.message(bytesRequest("1", Self.zeros(400_000))))
            try await peer.send(Self.chunks(1, 131_071))
            try await peer.expectAlive()
            try await peer.send(WireFrame(.chunk, 1, [0]))
            try await peer.expect(.credit(1, 131_072))
            try await peer.send(Self.chunks(1, Self.window))
            try await peer.expect(.credit(1, 131_072), .credit(1, 131_072))
            try await peer.send(WireFrame(.lastChunk, 1, Self.zeros(400_000 - 131_072 - Self.window)))
            try await peer.expect(.message(bytesAnswer("1", Self.zeros(400_000))))
        }
    }

    @Test func `sending one byte more than granted ends the connection`() async throws {
        for kind in [WireFrame.Kind.chunk, .part] {
            try await withPeer(of: ["bytes", "parts", "credit"]) { peer, _ in
                if kind == .chunk { try await peer.send(bytesRequest("1", [1])) }
                // In one write, so that no grant can precede the last byte.
                let frames = Self.chunks(1, Self.window).map { WireFrame(kind, 1, $0.body) }
                try await peer.send(frames)
                var granted = 0
                for frame in try await peer.frames(2) {
                    #expect(frame.kind == .credit && frame.number == 1)
                    granted += frame.body.reduce(0) { $0 << 8 | Int($1) }
                }
                #expect(granted == Self.window)
                // A stopped transfer gets no more grants, so it can send only one window.
                try await peer.send(.aborted(1, ""))
                if kind == .chunk { #expect(try await peer.answer().error?.kind == .unavailable) }
                try await peer.send(.message(#"{"jsonrpc":"2.0","id":2,"method":"no.such","attachments":[2]}"#))
                _ = try await peer.frames(2)
                try await peer.send(Self.chunks(2, Self.window))
                try await peer.expectAlive()
                try await peer.send(WireFrame(.lastChunk, 2, [0]))
                try await peer.expectRejection("number 2: more bytes than were granted")
            }
        }
    }

    @Test func `without flow control nothing is granted, and nothing stalls`() async throws {
        try await withPeer(of: ["bytes", "parts"]) { peer, _ in
            let bytes = Self.zeros(600_000)
            try await peer.send([.message(bytesRequest("1", bytes))] + WireFrame.attachment(1, bytes))
            var answer: [UInt8] = []
            while let frame = try await peer.receiveFrame() {
                #expect(frame.kind == .part || frame.kind == .lastPart)
                answer += frame.body
                if frame.kind == .lastPart { break }
            }
            #expect(answer == Array(bytesAnswer("1", bytes).utf8))
        }
    }
}
