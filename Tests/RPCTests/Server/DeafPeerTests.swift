import RPC
import RPCTestKit
import Testing

/// Peers that send requests and do not read the answers: protocol §6.1.
struct DeafPeerTests {
    private static let limits: Limits = {
        var limits = Limits()
        limits.queuedBytes = 100_000
        return limits
    }()

    /// All effects depend on the number of requests, not on time.
    private let executor = LoopExecutor.timed(by: ManualClock())

    @Test(arguments: [
        request("3", "no.such"), request("4", "rpc.cancel", #"{"id":5}"#), "no JSON", "[1]",
        #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        #"{"jsonrpc":"2.0","id":"hello","method":"rpc.hello","params":{}}"#,
    ])
    func `only a peer that sends above twice the limit without reading is disconnected`(
        message: String
    ) async throws {
        let gate = Gate()
        var limits = Self.limits
        limits.callsPerConnection = 10
        try await withPeer(gate: gate, limits: limits, executor: executor) { deaf, server in
            let other = try await WirePeer.connect(to: server.path)
            try await deaf.setReading(false)
            // Waits at the gate throughout, so that the end of the connection becomes visible.
            try await deaf.send(waiting("1", "until closed"))
            #expect(await gate.arrival() == "until closed")
            // Computed answers are never dropped, whatever their size.
            try await deaf.send(grow("2", 1_000_000))
            try await other.expectAlive()
            let process = try await other.statistics().process
            #expect(process.queuedBytes > 200_000 && process.connections == 2)
            // That was one answer; in total, the limit is twice the number of calls that may be under way.
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

    // MARK: Calls that were read before the queue was full

    /// Calls the method that waits at the gate. The call does not begin before its bytes have arrived.
    private static let late =
        #"{"jsonrpc":"2.0","id":"late","method":"echo.wait","params":{"text":"late"},"attachments":[1]}"#

    /// Runs `body` when only the unread answer of its peer prevents the call `late` from beginning.
    private func withoutRoom(
        _ gate: Gate, _ body: (_ slow: WirePeer, _ other: WirePeer) async throws -> Void
    ) async throws {
        try await withPeer(of: ["bytes"], gate: gate, limits: Self.limits, executor: executor) { slow, server in
            let other = try await WirePeer.connect(to: server.path)
            // Waits at the gate throughout, so that the end of the connection becomes visible.
            try await slow.send(waiting("0", "until closed"))
            #expect(await gate.arrival() == "until closed")
            try await slow.send(Self.late)
            try await slow.setReading(false)
            try await slow.send(grow("\"large\"", 1_000_000))
            try await other.expectAlive()
            try await slow.send(WireFrame(.lastChunk, 1))
            try await other.expectAlive()
            try await body(slow, other)
        }
    }

    @Test func `a call that was already read begins only when its answer can be queued`() async throws {
        let gate = Gate()
        try await withoutRoom(gate) { slow, other in
            // Handlers arrive at the gate in order, so the waiting one has not arrived.
            try await other.send(waiting("1", "meanwhile"))
            #expect(await gate.arrival() == "meanwhile")
            try await slow.setReading(true)
            #expect(await gate.arrival() == "late")
            gate.open("late")
            #expect(try await slow.answer().id == "\"large\"")
            #expect(try await slow.answer().result == #"{"text":"late"}"#)
        }
    }

    @Test func `calls in the same write as the one that fills the queue wait too, in order`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate, limits: Self.limits, executor: executor) { slow, server in
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

    @Test func `a call that is cancelled while it waits for capacity never begins`() async throws {
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

    @Test func `calls that wait for capacity end with their connection`() async throws {
        let gate = Gate()
        try await withoutRoom(gate) { slow, other in
            try await slow.close()
            #expect(await gate.cancellation() == "until closed")
            // The one that answers.
            let handlers = try await other.statistics().process.handlers
            #expect(handlers == 1)
            try await other.send(waiting("2", "next"))
            #expect(await gate.arrival() == "next")
        }
    }
}
