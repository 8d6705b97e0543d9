import RPC
import RPCTestKit
import Testing

struct HalfCloseTests {
    @Test func `calls under way are answered after the peer closes its sending side, then the connection closes`()
        async throws
    {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting("1", "a"))
            try await peer.send(waiting("2", "b"))
            _ = (await gate.arrival(), await gate.arrival())
            try await peer.finishSending()
            gate.open("b")
            #expect(try await peer.answer().id == "2")
            gate.open("a")
            #expect(try await peer.answer().id == "1")
            #expect(await peer.rest() == [])
            try await peer.waitUntilClosed()
        }
    }

    @Test func `all messages before the end are answered, as for printf piped into socat`() async throws {
        try await withPeer { peer, _ in
            try await peer.send((1...3).flatMap { WirePeer.frame(request("\($0)", "echo.say", #"{"text":"a"}"#)) })
            try await peer.finishSending()
            for id in 1...3 { #expect(try await peer.answer().id == "\(id)") }
            #expect(await peer.rest() == [])
        }
    }

    @Test func `a connection without any message is closed without an answer`() async throws {
        try await withPeer { peer, _ in
            try await peer.finishSending()
            #expect(await peer.rest() == [])
            try await peer.waitUntilClosed()
        }
    }

    @Test(arguments: [[0], [0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 2, 0x7B]] as [[UInt8]])
    func `an end inside a frame is an error, and calls under way are still answered`(
        bytes: [UInt8]
    ) async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(WirePeer.frame(waiting("1", "a")) + bytes)
            #expect(await gate.arrival() == "a")
            try await peer.finishSending()
            let answer = try await peer.answer()
            #expect(answer.id == "null")
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.message == "the connection ended inside a frame")
            gate.open("a")
            #expect(try await peer.answer().id == "1")
            #expect(await peer.rest() == [])
        }
    }

    @Test func `calls under way are cancelled when the peer closes`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, server in
            try await peer.send(waiting("1", "a"))
            try await peer.send("[\(waiting("2", "b")),\(waiting("3", "c"))]")
            for _ in 0..<3 { _ = await gate.arrival() }
            try await peer.close()
            var cancelled: [String?] = []
            for _ in 0..<3 { cancelled.append(await gate.cancellation()) }
            #expect(Set(cancelled) == ["a", "b", "c"])
            try await WirePeer.connect(to: server.path).expectAlive()
        }
    }

    @Test func `deadlines apply after the peer has closed its sending side`() async throws {
        let clock = ManualClock()
        try await withPeer(executor: .timed(by: clock)) { peer, server in
            try await peer.send(waiting("1", "a", meta: #"{"timeout_ms":30}"#))
            try await peer.finishSending()
            try await WirePeer.connect(to: server.path).expectAllRead()
            await clock.advance(by: .milliseconds(30))
            #expect(try await peer.answer().error?.kind == .deadlineExceeded)
            #expect(await peer.rest() == [])
        }
    }
}
