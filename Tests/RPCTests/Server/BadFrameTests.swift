import RPC
import RPCTestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct BadFrameTests {
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
        limits.discardTime = .hours(1)
        try await withPeer(limits: limits) { peer, _ in
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
        var limits = Limits()
        limits.discardTime = .milliseconds(500)
        try await withPeer(limits: limits) { peer, _ in
            #expect(try await peer.answer(to: [9, 0, 0, 0]).error?.kind == .invalidRequest)
            try await peer.waitUntilClosed()
        }
    }

    @Test func `discarding ends when the peer closes its sending side`() async throws {
        var limits = Limits()
        limits.discardTime = .hours(1)
        try await withPeer(limits: limits) { peer, _ in
            #expect(try await peer.answer(to: [9, 0, 0, 0]).error?.kind == .invalidRequest)
            try await peer.finishSending()
            try await peer.waitUntilClosed()
        }
    }

    // MARK: Time

    @Test(arguments: [[0], [0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 2, 0x7B]] as [[UInt8]])
    func `a frame that is not complete in time is a bad frame`(bytes: [UInt8]) async throws {
        var limits = Limits()
        limits.frameTimeout = .milliseconds(50)
        limits.discardTime = .milliseconds(500)
        try await withPeer(limits: limits) { peer, _ in
            let answer = try await peer.answer(to: bytes)
            #expect(answer.id == "null")
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.message == "a frame was not complete in time")
            #expect(await peer.rest() == [])
        }
    }

    /// Each frame has its own deadline: a peer whose every write ends inside a frame is not slow.
    @Test func `each of several consecutive frames has its own deadline`() async throws {
        let limit = 3
        var limits = Limits()
        limits.frameTimeout = .seconds(Int64(limit))
        try await withPeer(limits: limits) { _, server in
            // On a busy machine the peer may be too slow itself; then the test starts again.
            while try await !Self.sendsFrameAfterFrame(to: server, each: .seconds(limit)) {}
        }
    }

    /// Sends frames for longer than one frame may take; each write ends with the beginning of the next frame.
    /// - Returns: false when the peer itself took too long for a frame.
    private static func sendsFrameAfterFrame(to server: TestServer, each limit: Duration) async throws -> Bool {
        let peer = try await WirePeer.connect(to: server.path)
        let frame = WirePeer.frame(request("1", "rpc.ping"))
        let start = ContinuousClock.now
        var begun = start
        func isSlow() -> Bool { .now - begun > limit / 2 }
        do {
            try await peer.send([frame[0]])
            repeat {
                let next = ContinuousClock.now
                try await peer.send(frame.dropFirst() + [frame[0]])
                let answer = try await peer.receive()
                if isSlow() { return false }
                #expect(answer == #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
                begun = next
            } while .now - start < limit + .milliseconds(500)
            return true
        } catch  where isSlow() {
            return false
        }
    }

    @Test func `time between frames is not limited`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.frameTimeout = .milliseconds(50)
        try await withPeer(gate: gate, limits: limits) { peer, server in
            try await peer.expectAlive()
            // Longer than a frame may take; measured by the deadline of another connection.
            let other = try await WirePeer.connect(to: server.path)
            _ = try await other.answer(to: waiting("1", "a", meta: #"{"timeout_ms":150}"#))
            try await peer.expectAlive()
        }
    }
}
