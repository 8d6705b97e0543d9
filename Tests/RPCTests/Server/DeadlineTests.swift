import RPC
import RPCTestKit
import Testing

struct DeadlineTests {
    private let gate = Gate()
    private let clock = ManualClock()

    private func withPeer(_ body: (WirePeer) async throws -> Void) async throws {
        try await RPCTests.withPeer(gate: gate, executor: .timed(by: clock)) { peer, _ in try await body(peer) }
    }

    @Test func `a call that takes longer than its caller has is answered and its handler cancelled`() async throws {
        try await withPeer { peer in
            try await peer.send(waiting("1", "a", meta: #"{"timeout_ms":500}"#))
            #expect(await gate.arrival() == "a")
            await clock.advance(by: .milliseconds(499))
            try await peer.expectAlive()
            await clock.advance(by: .milliseconds(1))
            let answer = try await peer.answer()
            #expect(answer.id == "1")
            #expect(answer.code == -32002)
            #expect(answer.error?.kind == .deadlineExceeded)
            #expect(answer.error?.begun == true)
            #expect(await gate.cancellation() == "a")
            try await peer.expectAlive()
        }
    }

    @Test func `each call has its own deadline, whatever their order`() async throws {
        try await withPeer { peer in
            for (id, timeout) in [(1, 60_000), (2, 150), (3, 50), (4, 100)] {
                try await peer.send(waiting("\(id)", "\(id)", meta: #"{"timeout_ms":\#(timeout)}"#))
                #expect(await gate.arrival() == "\(id)")
            }
            for id in ["3", "4", "2"] {
                await clock.advance(by: .milliseconds(50))
                let answer = try await peer.answer()
                #expect(answer.id == id && answer.error?.kind == .deadlineExceeded)
            }
            gate.open("1")
            #expect(try await peer.answer().result == #"{"text":"1"}"#)
        }
    }

    @Test func `a notification has a deadline too`() async throws {
        try await withPeer { peer in
            try await peer.send(
                #"{"jsonrpc":"2.0","method":"echo.wait","params":{"text":"a"},"meta":{"timeout_ms":500}}"#)
            #expect(await gate.arrival() == "a")
            await clock.advance(by: .milliseconds(500))
            #expect(await gate.cancellation() == "a")
            try await peer.expectAlive()
        }
    }

    @Test func `a member of a batch has its own deadline`() async throws {
        try await withPeer { peer in
            try await peer.send("[\(waiting("1", "a", meta: #"{"timeout_ms":500}"#)),\(request("2", "rpc.ping"))]")
            #expect(await gate.arrival() == "a")
            await clock.advance(by: .milliseconds(500))
            #expect(try await peer.answers().map(\.error?.kind) == [.deadlineExceeded, nil])
        }
    }

    @Test func `a call without a timeout has the server's default`() async throws {
        try await withPeer { peer in
            try await peer.send(request("1", "echo.wait", #"{"text":"a"}"#))
            try await peer.send(waiting("2", "b", meta: #"{"timeout_ms":60000}"#))
            _ = (await gate.arrival(), await gate.arrival())
            await clock.advance(by: Limits.defaultTimeout - .milliseconds(1))
            try await peer.expectAlive()
            await clock.advance(by: .milliseconds(1))
            let answer = try await peer.answer()
            #expect(answer.id == "1" && answer.error?.kind == .deadlineExceeded)
            try await peer.expectAlive()
        }
    }
}
