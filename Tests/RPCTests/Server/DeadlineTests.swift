import RPC
import RPCTestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    @Test func `a call that takes longer than its caller has is answered and its handler cancelled`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting("1", "a", meta: #"{"timeout_ms":500}"#))
            #expect(await gate.arrival() == "a")
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
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            for (id, timeout) in [(1, 60_000), (2, 150), (3, 50), (4, 100)] {
                try await peer.send(waiting("\(id)", "\(id)", meta: #"{"timeout_ms":\#(timeout)}"#))
            }
            var ids: [String] = []
            for _ in 0..<3 {
                let answer = try await peer.answer()
                #expect(answer.error?.kind == .deadlineExceeded)
                ids.append(answer.id)
            }
            #expect(ids.sorted() == ["2", "3", "4"])
            gate.open("1")
            #expect(try await peer.answer().result == #"{"text":"1"}"#)
        }
    }

    @Test func `a notification has a deadline too`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(
                #"{"jsonrpc":"2.0","method":"echo.wait","params":{"text":"a"},"meta":{"timeout_ms":500}}"#)
            #expect(await gate.cancellation() == "a")
            try await peer.expectAlive()
        }
    }

    @Test func `a member of a batch has its own deadline`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            let answers = try await peer.answers(
                to: "[\(waiting("1", "a", meta: #"{"timeout_ms":500}"#)),\(request("2", "rpc.ping"))]")
            #expect(answers.map(\.error?.kind) == [.deadlineExceeded, nil])
        }
    }

    @Test func `a call without a timeout has the server's default`() async throws {
        var limits = Limits()
        limits.defaultTimeout = .milliseconds(20)
        try await withPeer(limits: limits) { peer, _ in
            // With the usual default of 30 s, the second call would end first.
            try await peer.send(
                #"{"jsonrpc":"2.0","id":1,"method":"echo.wait","params":{"text":"a"}}"#)
            try await peer.send(
                #"{"jsonrpc":"2.0","id":2,"method":"echo.wait","params":{"text":"b"},"meta":{"timeout_ms":20000}}"#)
            let answer = try await peer.answer()
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .deadlineExceeded)
        }
    }
}
