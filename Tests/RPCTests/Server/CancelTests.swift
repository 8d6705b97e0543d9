import RPC
import RPCTestKit
import Testing

struct CancelTests {
    private static func cancel(_ id: String) -> String {
        #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":\#(id)}}"#
    }

    @Test(arguments: [("1", "1"), (#""a""#, #""\u0061""#)])
    func `a call under way is answered at once, its handler is cancelled, and its id is free again`(
        id: String, spelledByCancel: String
    ) async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting(id, "a"))
            #expect(await gate.arrival() == "a")
            let answer = try await peer.answer(to: Self.cancel(spelledByCancel))
            #expect(answer.id == id)
            #expect(answer.code == -32001)
            #expect(answer.error?.kind == .cancelled)
            #expect(await gate.cancellation() == "a")
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#, to: request(id, "echo.say", #"{"text":"b"}"#))
        }
    }

    @Test func `the answer does not wait for a handler that ignores its cancellation, and its late result is dropped`()
        async throws
    {
        let gate = Gate()
        var table = EchoContract.table(gate)
        table.handle(EchoContract.wait) { params, _ in
            // Ignores its cancellation.
            try await Task { try await gate.pass(params.text) }.value
            return params
        }
        try await TestServer.with(table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            #expect(try await peer.answer(to: Self.cancel("1")).error?.kind == .cancelled)
            // The late result of the first call must not answer the second call with the same id.
            try await peer.send(waiting("1", "b"))
            #expect(await gate.arrival() == "b")
            gate.open("a")
            try await peer.expectAlive()
            gate.open("b")
            #expect(try await peer.receive() == #"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#)
        }
    }

    @Test(arguments: ["2", #""1""#, #""unknown""#, "-1"])
    func `an unknown id is ignored`(id: String) async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            try await peer.send(Self.cancel(id))
            try await peer.expectAlive()
            gate.open("a")
            #expect(try await peer.answer().result == #"{"text":"a"}"#)
        }
    }

    @Test func `a finished call is not cancelled any more`() async throws {
        try await withPeer { peer, _ in
            #expect(try await peer.answer(to: request("1", "rpc.ping")).error == nil)
            try await peer.send(Self.cancel("1"))
            try await peer.expectAlive()
        }
    }

    @Test(arguments: ["{}", #"{"id":null}"#, #"{"id":1.5}"#, #"{"id":[1]}"#, #"{"ID":1}"#])
    func `an invalid cancel is ignored`(params: String) async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            try await peer.send(#"{"jsonrpc":"2.0","method":"rpc.cancel","params":\#(params)}"#)
            try await peer.expectAlive()
            gate.open("a")
            #expect(try await peer.answer().result == #"{"text":"a"}"#)
        }
    }

    @Test func `a call that is cancelled in the same write never runs, or is cancelled`() async throws {
        try await withPeer { peer, _ in
            try await peer.send(WirePeer.frame(waiting("1", "a")) + WirePeer.frame(Self.cancel("1")))
            #expect(try await peer.answer().error?.kind == .cancelled)
            try await peer.expectAlive()
        }
    }

    @Test func `only calls of the same connection are cancelled`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, server in
            try await peer.send(waiting("1", "a"))
            #expect(await gate.arrival() == "a")
            let other = try await WirePeer.connect(to: server.path)
            try await other.send(Self.cancel("1"))
            try await other.expectAlive()
            gate.open("a")
            #expect(try await peer.answer().result == #"{"text":"a"}"#)
        }
    }
}
