import JSON
import RPC
import RPCTestKit
import Testing

/// The examples of the JSON-RPC 2.0 specification, §7, verbatim. Our protocol is narrower in some cases, as noted at
/// the tests: parameters are named, and errors carry `data` and other messages, so only their ids and codes are
/// compared.
struct JSONRPCExamplesTests {
    struct Operands: Sendable {
        let minuend: Int
        let subtrahend: Int

        static let codec = Codec<Operands>.object { object in
            let minuend = object.required("minuend", .integer(), \.minuend)
            let subtrahend = object.required("subtrahend", .integer(), \.subtrahend)
            return { members throws(JSONError) in
                Operands(minuend: try members[minuend], subtrahend: try members[subtrahend])
            }
        }
    }

    private static var table: MethodTable {
        var table = MethodTable()
        table.handle(Method("subtract", "", params: Operands.codec, answer: .integer())) { params, _ in
            params.minuend - params.subtrahend
        }
        table.handle(Method("get_data", "", params: Empty.codec, answer: .array(of: .any))) { _, _ in
            [RawJSON("hello", as: .string), RawJSON(5, as: .integer())]
        }
        table.handle(Method("update", "", params: Empty.codec, answer: Empty.codec)) { params, _ in params }
        return table
    }

    private func withPeer(_ body: (WirePeer) async throws -> Void) async throws {
        try await TestServer.with(Self.table) { try await body(try await WirePeer.connect(to: $0.path)) }
    }

    @Test(
        arguments: [
            (
                #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#,
                #"{"jsonrpc":"2.0","id":3,"result":19}"#
            ),
            (
                #"{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}"#,
                #"{"jsonrpc":"2.0","id":4,"result":19}"#
            ),
        ])
    func `rpc call with named parameters`(request: String, answer: String) async throws {
        try await withPeer { try await $0.expect(answer, to: request) }
    }

    /// Narrower: the specification's answers are 19 and -19.
    @Test(arguments: ["[42, 23]", "[23, 42]"])
    func `rpc call with positional parameters`(params: String) async throws {
        try await withPeer { peer in
            let answer = try await peer.answer(
                to: #"{"jsonrpc": "2.0", "method": "subtract", "params": \#(params), "id": 1}"#)
            #expect(answer.id == "1" && answer.code == -32602)
        }
    }

    @Test(
        arguments: [
            #"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#,
            #"{"jsonrpc": "2.0", "method": "foobar"}"#,
            """
            [
                    {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
                    {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
                ]
            """,
        ])
    func `a notification, and a batch of all notifications, get no answer`(text: String) async throws {
        try await withPeer { peer in
            try await peer.send(text)
            try await peer.expectAlive()
        }
    }

    @Test(
        arguments: [
            (#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#, #""1""#, -32601),
            (#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, "null", -32700),
            (#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, "null", -32600),
            (
                """
                [
                  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                  {"jsonrpc": "2.0", "method"
                ]
                """, "null", -32700
            ),
            ("[]", "null", -32600),
        ])
    func `what cannot be called is answered with one error`(text: String, id: String, code: Int) async throws {
        try await withPeer { peer in
            let answer = try await peer.answer(to: text)
            #expect(answer.id == id && answer.code == code)
        }
    }

    @Test(arguments: [("[1]", 1), ("[1,2,3]", 3)])
    func `rpc call with an invalid batch`(text: String, count: Int) async throws {
        try await withPeer { peer in
            let answers = try await peer.answers(to: text)
            #expect(answers.map(\.id) == Array(repeating: "null", count: count))
            #expect(answers.map(\.code) == Array(repeating: -32600, count: count))
        }
    }

    /// Narrower: the specification's results are 7 and 19, and an unknown method is reported first.
    @Test func `rpc call batch`() async throws {
        try await withPeer { peer in
            let answers = try await peer.answers(
                to: """
                    [
                            {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                            {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
                            {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
                            {"foo": "boo"},
                            {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                            {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
                        ]
                    """)
            #expect(answers.map(\.id) == [#""1""#, #""2""#, "null", #""5""#, #""9""#])
            #expect(answers.map(\.code) == [-32602, -32602, -32600, -32601, nil])
            #expect(answers.last?.text == #"{"jsonrpc":"2.0","id":"9","result":["hello",5]}"#)
        }
    }
}
