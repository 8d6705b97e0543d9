import RPC
import RPCTestKit
import Testing

struct BadFrameTests {
    @Test(
        arguments: [
            ([1, 0, 0, 2, 0x7B, 0x7D], ErrorKind.invalidRequest, "kind 1 not negotiated, or a length over 16777215"),
            ([0x47, 0x45, 0x54, 0x20], .invalidRequest, "kind 71 not negotiated, or a length over 16777215"),
            ([0xFF, 0xFF, 0xFF, 0xFF], .invalidRequest, "kind 255 not negotiated, or a length over 16777215"),
            ([0, 0x80, 0, 1], .tooLarge, "a message of 8388609 bytes is over the limit of 8388608 bytes"),
            ([0, 0xFF, 0xFF, 0xFF], .tooLarge, "a message of 16777215 bytes is over the limit of 8388608 bytes"),
        ] as [([UInt8], ErrorKind, String)])
    func `a bad frame is answered with an error without an id, then nothing, then the connection closes`(
        bytes: [UInt8], kind: ErrorKind, message: String
    ) async throws {
        try await withPeer { peer, _ in
            try await peer.expectAlive()
            let answer = try await peer.answer(to: bytes + WirePeer.frame(request("2", "rpc.ping")))
            #expect(answer.id == "null")
            #expect(answer.error?.kind == kind)
            #expect(answer.error?.message == message)
            #expect(answer.error?.begun == false)
            peer.post(WirePeer.frame(request("3", "rpc.ping")))
            #expect(await peer.rest() == [])
        }
    }

    @Test func `calls under way are cancelled by a bad frame and not answered`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            #expect(try await peer.answer(to: [9, 0, 0, 0]).id == "null")
            #expect(await gate.cancellation() == "a")
            #expect(await peer.rest() == [])
        }
    }

    @Test func `bytes after a bad frame are discarded, so that the error arrives, up to a limit`()
        async throws
    {
        var limits = Limits()
        limits.discardedBytes = 1_000_000
        try await withPeer(limits: limits, executor: .timed(by: ManualClock())) { peer, _ in
            // All bytes are read although no messages are parsed any more.
            try await peer.send([9, 0, 0, 0] + Array(repeating: 0x20, count: 900_000))
            #expect(try await peer.answer().error?.kind == .invalidRequest)
            try await peer.send(Array(repeating: 0x20, count: 50_000))
            #expect(await peer.rest() == [])
            peer.post(Array(repeating: 0x20, count: 1_000_000))
            try await peer.waitUntilClosed()
        }
    }

    @Test func `discarding ends after a time, though the peer keeps sending`() async throws {
        let clock = ManualClock()
        try await withPeer(executor: .timed(by: clock)) { peer, _ in
            #expect(try await peer.answer(to: [9, 0, 0, 0]).error?.kind == .invalidRequest)
            try await peer.send(Array(repeating: 0x20, count: 1_000))
            await clock.advance(by: Limits().discardTime)
            try await peer.waitUntilClosed()
        }
    }

    @Test func `discarding ends when the peer closes its sending side`() async throws {
        try await withPeer(executor: .timed(by: ManualClock())) { peer, _ in
            #expect(try await peer.answer(to: [9, 0, 0, 0]).error?.kind == .invalidRequest)
            try await peer.finishSending()
            try await peer.waitUntilClosed()
        }
    }

    // MARK: Time

    @Test(arguments: [[0], [0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 2, 0x7B]] as [[UInt8]])
    func `a frame that is not complete in time is a bad frame`(bytes: [UInt8]) async throws {
        let clock = ManualClock()
        try await withPeer(executor: .timed(by: clock)) { peer, _ in
            try await peer.send(bytes)
            await clock.waitForTimer(in: Limits().frameTimeout)
            await clock.advance(by: Limits().frameTimeout)
            let answer = try await peer.answer()
            #expect(answer.id == "null")
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.message == "a frame was not complete in time")
            #expect(await peer.rest() == [])
        }
    }

    /// Each frame has its own deadline: a peer whose every write ends inside a frame is not slow.
    @Test func `each of several consecutive frames has its own deadline`() async throws {
        let clock = ManualClock()
        let limit = Limits().frameTimeout
        try await withPeer(executor: .timed(by: clock)) { peer, _ in
            let frame = WirePeer.frame(request("1", "rpc.ping"))
            try await peer.send([frame[0]])
            await clock.waitForTimer(in: limit)
            for _ in 1...3 {
                await clock.advance(by: limit - .seconds(1))
                try await peer.send(frame.dropFirst() + [frame[0]])
                #expect(try await peer.receive() == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
            }
        }
    }

    @Test func `time between frames is not limited`() async throws {
        let clock = ManualClock()
        try await withPeer(executor: .timed(by: clock)) { peer, _ in
            try await peer.expectAlive()
            await clock.advance(by: .hours(1))
            try await peer.expectAlive()
        }
    }
}
