import RPC
import RPCTestKit
import Testing

/// Peers that ask and do not read what is answered: protocol §6.1.
@Suite(.timeLimit(.minutes(5))) struct DeafPeerTests {
    /// What happens is because of what is asked, not of the time that passes.
    private static let limits: Limits = {
        var limits = Limits()
        limits.queuedBytes = 100_000
        limits.deafTime = .hours(1)
        limits.writeTimeout = .hours(1)
        return limits
    }()

    @Test(arguments: [
        request("3", "no.such"), request("4", "rpc.cancel", #"{"id":5}"#), "no JSON", "[1]",
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        #"{"jsonrpc":"2.0","id":"hello","method":"rpc.hello","params":{}}"#,
    ])
    func `above twice the limit sending on and on closes the connection, and nothing else does`(
        message: String
    ) async throws {
        let gate = Gate()
        var limits = Self.limits
        limits.callsPerConnection = 10
        try await withPeer(gate: gate, limits: limits) { deaf, server in
            let other = try await WirePeer.connect(to: server.path)
            try await deaf.setReading(false)
            // Waits at the gate all the time, so that the end of the connection can be seen.
            try await deaf.send(waiting("1", "until closed"))
            #expect(await gate.arrival() == "until closed")
            // What was computed is kept, however much it is.
            try await deaf.send(grow("2", 1_000_000))
            try await other.expectAlive()
            let process = try await other.statistics().process
            #expect(process.queuedBytes > 200_000 && process.connections == 2)
            // That was one answer; twice as many as calls may be under way are given.
            for _ in 2...20 { try await deaf.send(message) }
            try await other.expectAlive()
            #expect(try await other.statistics().process.connections == 2)
            deaf.post(WirePeer.frame(message))
            #expect(await gate.cancellation() == "until closed")
            try await other.expectAlive()
            try? await deaf.setReading(true)
            _ = await deaf.rest()
        }
    }

    // MARK: Calls that were read while there was room

    /// Calls the method that waits at the gate; until its bytes have come, it does not begin.
    private static let late =
        #"{"jsonrpc":"2.0","id":"late","method":"echo.wait","params":{"text":"late"},"attachments":[1]}"#

    /// Runs `body` when the call `late` could begin, but for the answer that its peer does not read.
    private func withoutRoom(
        _ gate: Gate, _ body: (_ slow: WirePeer, _ other: WirePeer) async throws -> Void
    ) async throws {
        try await withPeer(of: ["bytes"], gate: gate, limits: Self.limits) { slow, server in
            let other = try await WirePeer.connect(to: server.path)
            try await slow.send(Self.late)
            try await slow.setReading(false)
            try await slow.send(grow("\"large\"", 1_000_000))
            try await other.expectAlive()
            try await slow.send(WireFrame(.lastChunk, 1))
            try await other.expectAlive()
            try await body(slow, other)
        }
    }

    @Test func `a call that was read already begins when there is room for its answer, not before`() async throws {
        let gate = Gate()
        try await withoutRoom(gate) { slow, other in
            // Whoever passes the gate is seen in turn: the one that waits for room is not there.
            try await other.send(waiting("1", "meanwhile"))
            #expect(await gate.arrival() == "meanwhile")
            try await slow.setReading(true)
            #expect(await gate.arrival() == "late")
            gate.open("late")
            #expect(try await slow.answer().id == "\"large\"")
            #expect(try await slow.answer().result == #"{"text":"late"}"#)
        }
    }

    @Test func `calls that come in one write with the one that fills the room wait too, in their order`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate, limits: Self.limits) { slow, server in
            let other = try await WirePeer.connect(to: server.path)
            try await slow.setReading(false)
            let names = (1...20).map { "\($0)" }
            try await slow.send([.message(grow("\"large\"", 1_000_000))] + names.map { .message(waiting($0, $0)) })
            try await other.expectAlive()
            try await other.send(waiting("1", "meanwhile"))
            #expect(await gate.arrival() == "meanwhile")
            try await slow.setReading(true)
            for name in names { #expect(await gate.arrival() == name) }
        }
    }

    @Test func `a call that is cancelled while it waits for room never begins`() async throws {
        let gate = Gate()
        try await withoutRoom(gate) { slow, other in
            try await slow.send(cancel("\"late\""))
            try await other.expectAlive()
            try await slow.setReading(true)
            #expect(try await slow.answer().id == "\"large\"")
            let answer = try await slow.answer()
            #expect(answer.id == "\"late\"" && answer.error?.kind == .cancelled && answer.error?.begun == false)
            try await slow.send(waiting("2", "next"))
            #expect(await gate.arrival() == "next")
        }
    }

    @Test func `calls that wait for room end with their connection`() async throws {
        let gate = Gate()
        try await withoutRoom(gate) { slow, other in
            try await slow.close()
            while try await other.statistics().process.handlers > 1 {}
            try await other.send(waiting("2", "next"))
            #expect(await gate.arrival() == "next")
        }
    }
}
