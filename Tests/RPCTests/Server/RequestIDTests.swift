import RPC
import RPCTestKit
import Testing

struct RequestIDTests {
    @Test(
        arguments: [
            "1", "-1", "0", "-0", "9223372036854775807", "-9223372036854775808", #""""#, #""a""#, #""\u0061""#,
            #""\/""#,
            #""é""#, #""\ud834\udd1e""#, #""1""#, "\"\(String(repeating: "x", count: 256))\"",
            "\"\(String(repeating: "é", count: 128))\"",
        ])
    func `an id is echoed byte for byte`(id: String) async throws {
        try await withPeer { peer, _ in
            let text = try await peer.exchange(request(id, "echo.say", #"{"text":"hello"}"#))
            #expect(text == #"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"hello"}}"#)
        }
    }

    @Test(
        arguments: [
            "1.0", "1e2", "0.5", "true", "false", "null", "{}", "[]", "[1]", #"{"a":1}"#, "9223372036854775808",
            "-9223372036854775809", "\"\(String(repeating: "x", count: 257))\"",
            "\"\(String(repeating: "é", count: 129))\"",
            "\"\(String(repeating: #"\u0061"#, count: 43))\"",
        ])
    func `any other id is an invalid request, answered without an id`(id: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: request(id, "echo.say", #"{"text":"hello"}"#))
            #expect(answer.id == "null")
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.begun == false)
            #expect(answer.error?.message.hasPrefix("id: must be a string of at most 256 bytes or an integer") == true)
            #expect(answer.error?.message.contains(id.prefix(40)) == true)
            try await peer.expectAlive()
        }
    }

    @Test(arguments: [(40, false), (41, true)])
    func `an error shows an invalid id up to 40 characters`(length: Int, isCut: Bool) async throws {
        try await withPeer { peer, _ in
            let id = #"["\#(String(repeating: "x", count: length - 4))"]"#
            let message = try await peer.answer(to: request(id, "echo.say", #"{"text":"hello"}"#)).error?.message
            #expect(message?.hasSuffix(", is " + (isCut ? id.prefix(40) + "…" : id)) == true)
        }
    }

    @Test(
        arguments: [
            ("1", "1"), ("\"a\"", "\"a\""), (#""a""#, #""\u0061""#), (#""\/""#, #""/""#), ("0", "-0"),
            (#""\u00e9""#, #""é""#),
        ])
    func `an id that is already under way is refused, and the first call continues`(
        first: String, second: String
    ) async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting(first, "a"))
            _ = await gate.arrival()
            for method in ["echo.say", "rpc.ping", "no.method"] {
                let answer = try await peer.answer(to: request(second, method, #"{"text":"b"}"#))
                #expect(answer.id == "null")
                #expect(answer.error?.kind == .invalidRequest)
                #expect(answer.error?.message == "id: \(second) is already under way")
                #expect(answer.error?.begun == false)
            }
            gate.open("a")
            #expect(try await peer.receive() == #"{"jsonrpc":"2.0","id":\#(first),"result":{"text":"a"}}"#)
            // The id is free again.
            #expect(try await peer.answer(to: request(second, "echo.say", #"{"text":"b"}"#)).id == second)
        }
    }

    @Test(
        arguments: [
            #"{"jsonrpc":"2.0","id":1,"method":"echo.say","params":[]}"#, #"{"jsonrpc":"2.0","id":1,"method":2}"#,
            #"{"jsonrpc":"1.0","id":1,"method":"echo.say"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.hello","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"echo.say","meta":{"timeout_ms":0}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.cancel","params":{"id":2}}"#,
        ])
    func `nothing but the call's own answer carries its id while it is under way`(message: String) async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting("1", "a"))
            _ = await gate.arrival()
            #expect(try await peer.answer(to: message).id == "null")
            gate.open("a")
            #expect(try await peer.answer().id == "1")
        }
    }

    @Test(arguments: [("1", #""1""#), (#""é""#, "\"e\u{301}\""), (#""a""#, #""A""#), (#""""#, #"" ""#), ("1", "-1")])
    func `ids that differ in type or in a byte are different`(first: String, second: String) async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(waiting(first, "a"))
            try await peer.send(waiting(second, "b"))
            _ = (await gate.arrival(), await gate.arrival())
            gate.open("b")
            #expect(try await peer.answer().id.utf8.elementsEqual(second.utf8))
            gate.open("a")
            #expect(try await peer.answer().id.utf8.elementsEqual(first.utf8))
        }
    }

    @Test func `the same id may be under way on two connections`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { one, server in
            let two = try await WirePeer.connect(to: server.path)
            try await one.send(waiting("1", "a"))
            try await two.send(waiting("1", "b"))
            _ = (await gate.arrival(), await gate.arrival())
            gate.open("a")
            gate.open("b")
            #expect(try await one.answer().result == #"{"text":"a"}"#)
            #expect(try await two.answer().result == #"{"text":"b"}"#)
        }
    }
}
