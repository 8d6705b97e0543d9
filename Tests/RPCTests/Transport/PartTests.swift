import NIOCore
import RPCTestKit
import Testing

@testable import RPC

/// Messages in parts: protocol §4, `parts`.
struct PartTests {
    @Test func `a message of 64 KiB is sent whole, one byte more in parts`() async throws {
        try await withPeer(of: ["parts"]) { peer, _ in
            try await peer.send(growMessage("1", to: 65_536))
            let whole = try #require(try await peer.receiveFrame())
            #expect(whole.kind == .message && whole.payload.count == 65_536)
            try await peer.send(growMessage("1", to: 65_537))
            let frames = try await peer.frames(2)
            #expect(frames.map(\.kind) == [.part, .lastPart])
            #expect(frames.map(\.number) == [1, 1])
            #expect(frames.map(\.body.count) == [65_536, 1])
            #expect(frames.flatMap(\.body) == whole.payload.dropLast(3) + Array(#"x"}}"#.utf8))
        }
    }

    @Test(arguments: [[], ["bytes", "credit"]])
    func `without negotiated parts, a message is sent whole, whatever its size`(features: [String]) async throws {
        try await withPeer(of: features) { peer, _ in
            try await peer.send(growMessage("1", to: 300_000))
            let frame = try #require(try await peer.receiveFrame())
            #expect(frame.kind == .message && frame.payload.count == 300_000)
        }
    }

    @Test(arguments: [1, 10, 65_536]) func `a request may come in parts of any size`(size: Int) async throws {
        try await withPeer(of: ["parts"]) { peer, _ in
            try await peer.send(WireFrame.parts(1, of: request("1", "rpc.ping"), chunk: size))
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":1,"result":{}}"#))
            try await peer.send([WireFrame(.part, 2)] + WireFrame.parts(2, of: request("2", "rpc.ping"), chunk: size))
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":2,"result":{}}"#))
        }
    }

    @Test func `messages in parts and whole ones may be interleaved`() async throws {
        try await withPeer(of: ["parts"]) { peer, _ in
            let one = WireFrame.parts(1, of: request("1", "echo.say", #"{"text":"one"}"#), chunk: 20)
            let two = WireFrame.parts(2, of: request("2", "echo.say", #"{"text":"two"}"#), chunk: 20)
            try await peer.send(zip(one, two).dropLast().flatMap { [$0, $1] })
            try await peer.expectAlive()
            try await peer.send([two[two.count - 1]])
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":2,"result":{"text":"two"}}"#))
            try await peer.send([one[one.count - 1]])
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":1,"result":{"text":"one"}}"#))
        }
    }

    @Test func `a message in parts that is not JSON is a bad body, and the connection lives`() async throws {
        try await withPeer(of: ["parts"]) { peer, _ in
            try await peer.send(WireFrame.parts(1, of: "garbage", chunk: 2))
            let answer = try await peer.answer()
            #expect(answer.id == "null" && answer.error?.kind == .parseError)
            try await peer.send(WireFrame(.lastPart, 2))
            #expect(try await peer.answer().error?.kind == .parseError)
            try await peer.expectAlive()
        }
    }

    @Test func `parts over the limit of a message are a bad frame; at the limit they are a message`() async throws {
        var limits = Limits()
        limits.frameBytes = 5_000
        let text = request("1", "rpc.ping") + String(repeating: " ", count: 5_000)
        try await withPeer(of: ["parts"], limits: limits) { peer, _ in
            try await peer.send(WireFrame.parts(1, of: String(text.prefix(5_000)), chunk: 1_000))
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":1,"result":{}}"#))
            try await peer.send(WireFrame.parts(2, of: String(text.prefix(5_001)), chunk: 1_000))
            try await peer.expectRejection("a message of 5001 bytes is over the limit of 5000 bytes", .tooLarge)
        }
    }

    @Test func `a message in parts that its sender aborts is ignored`() async throws {
        try await withPeer(of: ["parts"]) { peer, _ in
            try await peer.send([WireFrame(.part, 1, "{".utf8), .aborted(1, "cancelled")])
            try await peer.expectAlive()
            try await peer.send(WireFrame.parts(2, of: request("2", "rpc.ping"), chunk: 5))
            try await peer.expect(.message(#"{"jsonrpc":"2.0","id":2,"result":{}}"#))
        }
    }

    // MARK: Unfinished answers; with credit a sender waits after 262,144 bytes

    @Test func `without credit, too, a small answer overtakes most of a large one`() async throws {
        let large = 8_000_000
        try await withPeer(of: ["parts"]) { peer, server in
            try await peer.setReading(false)
            try await peer.send(growMessage("1", to: large))
            try await peer.send(request("2", "rpc.ping"))
            try await WirePeer.connect(to: server.path).expectAlive()
            try await peer.setReading(true)
            var earlier = 0
            while let frame = try await peer.receiveFrame(), frame.kind == .part { earlier += frame.body.count }
            #expect(earlier < large / 2)
        }
    }

    @Test func `a small answer is sent between the parts of a large one`() async throws {
        try await withPeer(of: ["parts", "credit"]) { peer, _ in
            try await peer.send(growMessage("1", to: 300_000))
            let first = try await peer.frames(4)
            #expect(first.allSatisfy { $0.kind == .part && $0.number == 1 && $0.body.count == 65_536 })
            try await peer.expectAlive()
            try await peer.send(.credit(1, 37_855))
            let almost = try #require(try await peer.receiveFrame())
            #expect(almost.kind == .part && almost.body.count == 37_855)
            try await peer.send(.credit(1, 1))
            try await peer.expect(WireFrame(.lastPart, 1, "}".utf8))
        }
    }

    @Test func `a call that is cancelled while its answer is sent in parts is answered at once`() async throws {
        try await withPeer(of: ["parts", "credit"]) { peer, _ in
            try await peer.send(grow("1", 300_000))
            _ = try await peer.frames(4)
            try await peer.send(cancel("1"))
            try await peer.expect(.aborted(1, "cancelled"))
            let answer = try await peer.answer()
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .cancelled)
            try await peer.expectAlive()
        }
    }

    @Test func `a deadline covers an answer that is sent in parts`() async throws {
        let clock = ManualClock()
        try await withPeer(of: ["parts", "credit"], executor: .timed(by: clock)) { peer, _ in
            try await peer.send(grow("1", 300_000, meta: #"{"timeout_ms":500}"#))
            _ = try await peer.frames(4)
            await clock.advance(by: .milliseconds(500))
            let frames = try await peer.frames(2)
            #expect(frames.contains(.aborted(1, "deadline_exceeded")))
            let answer = try Answer(try #require(frames.first { $0.kind == .message }).text)
            #expect(answer.id == "1" && answer.error?.kind == .deadlineExceeded)
            try await peer.expectAlive()
        }
    }

    @Test func `a call whose answer in parts its caller stops is overloaded`() async throws {
        try await withPeer(of: ["parts", "credit"]) { peer, _ in
            try await peer.send(grow("1", 300_000))
            _ = try await peer.frames(4)
            try await peer.send(.stop(1))
            let frames = try await peer.frames(2)
            #expect(frames.contains(.aborted(1, "cancelled")))
            let answer = try Answer(try #require(frames.first { $0.kind == .message }).text)
            #expect(answer.id == "1" && answer.error?.kind == .overloaded && answer.error?.begun == true)
            try await peer.expectAlive()
        }
    }

    @Test func `the answer of a batch is sent completely after its caller closes its sending side`() async throws {
        try await withPeer(of: ["parts"]) { peer, _ in
            try await peer.send("[\(grow("1", 300_000)),\(grow("2", 300_000))]")
            try await peer.finishSending()
            var text: [UInt8] = []
            while let frame = try await peer.receiveFrame() { text += frame.body }
            #expect(text.count > 600_000)
            #expect(text.last == UInt8(ascii: "]"))
        }
    }

    @Test func `nothing of an unfinished answer follows the error for a bad frame`() async throws {
        try await withPeer(of: ["parts", "credit"]) { peer, _ in
            try await peer.send([.message(grow("1", 300_000)), .message(grow("2", 300_000))])
            _ = try await peer.frames(8)
            try await peer.send([
                .credit(1, 100_000), .credit(2, 100_000), WireFrame(kind: .init(rawValue: 9), payload: []),
            ])
            try await peer.expectRejection("kind 9 not negotiated, or a length over 16777215")
        }
    }

    @Test func `a message is aborted silently before its first part`() {
        let schedule = OutgoingSchedule()
        let messages = (0..<3).map { _ in
            OutgoingMessage(text: ByteBuffer(repeating: 0x20, count: 100_000), attachments: [], withCredit: false)
        }
        messages.forEach(schedule.add)
        _ = schedule.nextFrame(canSendParts: true)
        #expect(schedule.giveUp(messages[2]) == [])
        #expect(schedule.giveUp(messages[0]) == [1])
        #expect(schedule.nextFrame(canSendParts: true)?.header.getInteger(at: 4, as: UInt32.self) == 2)
        #expect(schedule.giveUp(messages[1]) == [2])
        #expect(schedule.isEmpty && schedule.bytes == 0)
    }
}
