import RPC
import RPCTestKit
import Testing

struct MessageTests {
    // MARK: The examples of the JSON-RPC 2.0 specification, with our methods in place of its own

    @Test func `named parameters reach the method in any order`() async throws {
        try await withPeer { peer, _ in
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":3,"result":{"text":"a","count":2}}"#,
                to: #"{"jsonrpc": "2.0", "method": "echo.say", "params": {"text": "a", "count": 2}, "id": 3}"#)
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":4,"result":{"text":"a","count":2}}"#,
                to: #"{"jsonrpc": "2.0", "method": "echo.say", "params": {"count": 2, "text": "a"}, "id": 4}"#)
        }
    }

    /// Narrower than JSON-RPC 2.0, which allows them.
    @Test func `positional parameters are refused as invalid parameters`() async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(
                to: #"{"jsonrpc": "2.0", "method": "echo.say", "params": ["a", 2], "id": 1}"#)
            #expect(answer.id == "1")
            #expect(answer.code == -32602)
            #expect(answer.error?.message == "params: must be an object (they are named), is an array")
        }
    }

    @Test(
        arguments: [
            #"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#,
            #"{"jsonrpc": "2.0", "method": "foobar"}"#,
            #"{"jsonrpc":"2.0","method":"echo.say","params":{"text":"a"}}"#,
            #"{"jsonrpc":"2.0","method":"echo.say","params":{"wrong":"a"}}"#,
            #"{"jsonrpc":"2.0","method":"echo.say","params":{"text":"a"},"meta":{"timeout_ms":0}}"#,
            #"{"jsonrpc":"2.0","method":"echo.fail","params":{"text":"not_found"}}"#,
            #"{"jsonrpc":"2.0","method":"echo.fail","params":{"text":"foreign"}}"#,
            #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}"#, #"{"jsonrpc":"2.0","method":"rpc.cancel"}"#,
        ])
    func `a notification gets no answer, whatever becomes of it`(message: String) async throws {
        try await withPeer { peer, _ in
            try await peer.send(message)
            try await peer.expectAlive()
        }
    }

    @Test func `a notification is handled`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(#"{"jsonrpc":"2.0","method":"echo.wait","params":{"text":"a"}}"#)
            #expect(await gate.arrival() == "a")
            gate.open("a")
            try await peer.expectAlive()
        }
    }

    @Test func `an unknown method is not found`() async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: #"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#)
            #expect(answer.id == #""1""#)
            #expect(answer.code == -32601)
            #expect(answer.error?.kind == .methodNotFound)
            #expect(answer.error?.begun == false)
            #expect(answer.error?.message.contains(#""foobar""#) == true)
        }
    }

    @Test(
        arguments: [
            #"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
            #"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]"#, "",
            " ", "{",
            "1 2", "[] x", "{}{}", "\u{FEFF}{}", #"{"jsonrpc":"2.0","id":1,"id":1,"method":"rpc.ping"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","\u0069d":2}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","params":{"a":1,"a":2}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","params":{},}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","unknown":"\ud800"}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","unknown":01}"#,
        ])
    func `a text that is not JSON is a parse error without id, and the connection lives on`(text: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: text)
            #expect(answer.id == "null")
            #expect(answer.code == -32700)
            #expect(answer.error?.kind == .parseError)
            #expect(answer.error?.begun == false)
            try await peer.expectAlive()
        }
    }

    @Test func `a message that is not UTF-8 is a parse error, in any member`() async throws {
        try await withPeer { peer, _ in
            let text =
                Array(#"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","unknown":""#.utf8) + [0xC3] + Array(#""}"#.utf8)
            try await peer.send([0, 0, 0, UInt8(text.count)] + text)
            #expect(try await peer.answer().error?.kind == .parseError)
            try await peer.expectAlive()
        }
    }

    @Test(arguments: [64, 65])
    func `a message is nested up to 64 deep`(depth: Int) async throws {
        try await withPeer { peer, _ in
            let unknown = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            let answer = try await peer.answer(
                to: #"{"jsonrpc":"2.0","id":1,"method":"rpc.ping","unknown":\#(unknown)}"#)
            #expect(answer.error?.kind == (depth <= 64 ? nil : .parseError))
        }
    }

    @Test(
        arguments: [
            (#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, "null"), ("1", "null"), (#""a""#, "null"),
            ("null", "null"),
            ("true", "null"), ("{}", "null"), ("[]", "null"), (#"{"id":7}"#, "7"), (#"{"jsonrpc":"2.0","id":7}"#, "7"),
            (#"{"id":7,"method":"rpc.ping"}"#, "7"), (#"{"jsonrpc":"1.0","id":7,"method":"rpc.ping"}"#, "7"),
            (#"{"jsonrpc":2.0,"id":7,"method":"rpc.ping"}"#, "7"),
            (#"{"jsonrpc":null,"id":7,"method":"rpc.ping"}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":null}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":["rpc.ping"]}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":"rpc.ping","params":null}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":"rpc.ping","params":1}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":"rpc.ping","params":"{}"}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "null"),
            (#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"a"}}"#, "null"),
        ])
    func `JSON that is not a request is an invalid request, with its id if it has one`(
        text: String, id: String
    ) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: text)
            #expect(answer.id == id)
            #expect(answer.code == -32600)
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.begun == false)
            try await peer.expectAlive()
        }
    }

    // MARK: Our own rules

    @Test func `the version may be spelled with escapes, and members may come in any order`() async throws {
        try await withPeer { peer, _ in
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                to: #" { "p\u0061rams" : {} , "method" : "rpc\u002Eping" , "id" : 1 , "jsonrpc" : "2\u002e0" } "#)
        }
    }

    @Test(arguments: ["result", "error", "extra", "traceparent", ""])
    func `an unknown member of the envelope is ignored`(name: String) async throws {
        try await withPeer { peer, _ in
            try await peer.expect(
                #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
                to: #"{"jsonrpc":"2.0","id":1,"\#(name)":{"a":[1]},"method":"rpc.ping"}"#)
        }
    }

    @Test(
        arguments: [
            ("{}", "params.text: is missing"), (#"{"text":1}"#, "params.text: must be a string"),
            (#"{"text":"a","count":0}"#, "params.count: must be from 1 to 100, is 0"),
            (#"{"text":"a","count":101}"#, "params.count: must be from 1 to 100, is 101"),
            (#"{"text":"a","more":1}"#, "params.more: is not a known member"),
            (#"{"text":"a","\u006dore":1}"#, "params.more: is not a known member"),
        ])
    func `a parameter that does not fit is named by its path`(params: String, message: String) async throws {
        try await withPeer { peer, _ in
            let answer = try await peer.answer(to: request("1", "echo.say", params))
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .invalidParams)
            #expect(answer.error?.message == message)
            #expect(answer.error?.begun == false)
            try await peer.expectAlive()
        }
    }

    @Test func `requests may come in one write, and in single bytes`() async throws {
        try await withPeer { peer, _ in
            let texts = (1...3).map { request("\($0)", "echo.say", #"{"text":"a"}"#) }
            try await peer.send(texts.flatMap(WirePeer.frame))
            for id in 1...3 { #expect(try await peer.answer().id == "\(id)") }
            for byte in WirePeer.frame(request("4", "rpc.ping")) { try await peer.send([byte]) }
            #expect(try await peer.answer().id == "4")
        }
    }

    @Test func `answers come in the order in which calls end`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            for name in ["a", "b", "c"] {
                try await peer.send(waiting("\"\(name)\"", name))
                _ = await gate.arrival()
            }
            for name in ["b", "c", "a"] {
                gate.open(name)
                #expect(try await peer.answer().id == "\"\(name)\"")
            }
        }
    }
}
