import JSON
import RPCTestKit
import Testing

@testable import RPC

struct BatchTests {
    @Test(arguments: [1, 2, 100])
    func `a batch is answered as one array in the order of its members`(count: Int) async throws {
        try await withPeer { peer, _ in
            let members = (1...count).map { request("\($0)", "echo.say", #"{"text":"\#($0)"}"#) }
            let answers = (1...count).map { #"{"jsonrpc":"2.0","id":\#($0),"result":{"text":"\#($0)"}}"# }
            try await peer.expect("[\(answers.joined(separator: ","))]", to: "[\(members.joined(separator: ", "))]")
        }
    }

    @Test(arguments: [0, 101, 1_000])
    func `a batch of no members or more than 100 is one invalid request`(count: Int) async throws {
        try await withPeer { peer, server in
            let members = (0..<count).map { request("\($0)", "echo.fail", #"{"text":"foreign"}"#) }
            let answer = try await peer.answer(to: "[\(members.joined(separator: ","))]")
            #expect(answer.id == "null")
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.message == "a batch must have 1 to 100 members, this one has \(count)")
            try await peer.expectAlive()
            #expect(server.faults.isEmpty)
        }
    }

    @Test func `the answers come when all calls are done, in the order of their members`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send("[\(waiting("1", "a")),\(waiting("2", "b")),\(request("3", "rpc.ping"))]")
            _ = (await gate.arrival(), await gate.arrival())
            gate.open("b")
            // Other calls do not wait for it.
            try await peer.expectAlive()
            gate.open("a")
            #expect(
                try await peer.receive()
                    == #"[{"jsonrpc":"2.0","id":1,"result":{"text":"a"}},{"jsonrpc":"2.0","id":2,"result":{"text":"b"}},{"jsonrpc":"2.0","id":3,"result":{}}]"#
            )
        }
    }

    /// The example of the JSON-RPC 2.0 specification, with our methods in place of its own.
    @Test func `notifications get no answer, invalid members get one`() async throws {
        try await withPeer { peer, _ in
            let answers = try await peer.answers(
                to: """
                    [
                        {"jsonrpc": "2.0", "method": "echo.say", "params": {"text": "a"}, "id": "1"},
                        {"jsonrpc": "2.0", "method": "echo.say", "params": {"text": "b"}},
                        {"jsonrpc": "2.0", "method": "echo.say", "params": [42,23], "id": "2"},
                        {"foo": "boo"},
                        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                        {"jsonrpc": "2.0", "method": "rpc.ping", "id": "9"},
                        1, [], null,
                        {"jsonrpc": "2.0", "method": "rpc.ping", "id": 1.5},
                        {"jsonrpc": "2.0", "id": "10", "result": {}}
                    ]
                    """)
            #expect(
                answers.map(\.id) == [
                    #""1""#, #""2""#, "null", #""5""#, #""9""#, "null", "null", "null", "null", #""10""#,
                ])
            #expect(
                answers.map(\.error?.kind) == [
                    nil, .invalidParams, .invalidRequest, .methodNotFound, nil, .invalidRequest, .invalidRequest,
                    .invalidRequest, .invalidRequest, .invalidRequest,
                ])
            try await peer.expectAlive()
        }
    }

    @Test func `each member that is not an object gets an answer`() async throws {
        try await withPeer { peer, _ in
            for count in 1...3 {
                let answers = try await peer.answers(to: "\(Array(1...count))")
                #expect(answers.map(\.code) == Array(repeating: -32600, count: count))
            }
        }
    }

    @Test func `a batch of notifications only is not answered`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            try await peer.send(
                """
                [{"jsonrpc":"2.0","method":"echo.wait","params":{"text":"a"}},{"jsonrpc":"2.0","method":"no.method"},\
                {"jsonrpc":"2.0","method":"rpc.hello","params":{"protocols":[1]}}]
                """)
            #expect(await gate.arrival() == "a")
            gate.open("a")
            try await peer.expectAlive()
        }
    }

    @Test func `rpc·hello is refused inside a batch, even in the first message`() async throws {
        try await withPeer { peer, _ in
            let answers = try await peer.answers(
                to: "[\(request("1", "rpc.hello", #"{"protocols":[1]}"#)),\(request("2", "rpc.ping"))]")
            #expect(answers.map(\.id) == ["1", "2"])
            #expect(answers.map(\.error?.kind) == [.invalidRequest, nil])
        }
    }

    @Test func `a duplicate id in a batch is refused`() async throws {
        try await withPeer { peer, _ in
            let answers = try await peer.answers(
                to: "[\(request("1", "rpc.ping")),\(request("1", "rpc.ping")),\(request("2", "rpc.ping"))]")
            #expect(answers.map(\.id) == ["1", "null", "2"])
            #expect(answers.map(\.error?.kind) == [nil, .invalidRequest, nil])
        }
    }

    @Test func `cancelling a member puts the error in its place, also within the batch itself`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            let cancel = #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}"#
            let ownAnswers = try await peer.answers(
                to: "[\(waiting("1", "own")),\(cancel),\(request("2", "rpc.ping"))]")
            #expect(ownAnswers.map(\.id) == ["1", "2"])
            #expect(ownAnswers.map(\.error?.kind) == [.cancelled, nil])

            try await peer.send("[\(request("3", "rpc.ping")),\(waiting("1", "later"))]")
            #expect(await gate.arrival() == "later")
            try await peer.send(cancel)
            let answers = try RawJSON(checking: try #require(try await peer.receive())).read(as: .array(of: .any))
            #expect(try answers.map { try Answer($0.description).error?.kind } == [nil, .cancelled])
            #expect(await gate.cancellation() == "later")
        }
    }

    @Test func `members run concurrently and count as calls`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.callsPerConnection = 2
        try await withPeer(gate: gate, limits: limits) { peer, _ in
            try await peer.send("[\(waiting("1", "a")),\(waiting("2", "b")),\(waiting("3", "c"))]")
            _ = (await gate.arrival(), await gate.arrival())
            gate.open("a")
            gate.open("b")
            let answers = try RawJSON(checking: try #require(try await peer.receive())).read(as: .array(of: .any))
            #expect(try answers.map { try Answer($0.description).error?.kind } == [nil, nil, .overloaded])
        }
    }

    // MARK: Size

    @Test func `a member whose answer does not fit beside the others is answered with too_large in its place`()
        async throws
    {
        var limits = Limits()
        limits.frameBytes = 20_000
        try await withPeer(limits: limits) { peer, _ in
            let answers = try await peer.answers(
                to: """
                    [\(request("1", "echo.grow", #"{"bytes":9000}"#)),\(request("2", "echo.grow", #"{"bytes":30000}"#)),\
                    \(request("3", "echo.grow", #"{"bytes":9000}"#)),\(request("4", "rpc.ping"))]
                    """)
            #expect(answers.map(\.id) == ["1", "2", "3", "4"])
            #expect(answers.map(\.error?.kind) == [nil, .tooLarge, nil, nil])
            try await peer.expectAlive()
        }
    }

    /// Close to the limit, where commas, brackets and the longest ids matter.
    @Test(arguments: [1, 2, 10])
    func `the answer of a batch is never over the limit and the connection lives on`(count: Int) async throws {
        let limit = 20_000
        var limits = Limits()
        limits.frameBytes = limit
        try await withPeer(limits: limits) { peer, _ in
            func id(_ number: Int) -> String { "\"\(String(repeating: "x", count: 255))\(number)\"" }
            let overhead = #"{"jsonrpc":"2.0","id":,"result":{"text":""}}"#.utf8.count + id(0).utf8.count
            for excess in -150...20 {
                let sum = limit - count * overhead + excess
                let members = (0..<count).map { index in
                    let size = sum / count + (index == 0 ? sum % count : 0)
                    return request(id(index), "echo.grow", #"{"bytes":\#(size)}"#)
                }
                try await peer.send("[\(members.joined(separator: ","))]")
                let text = try #require(try await peer.receive())
                #expect(text.utf8.count <= limit)
                let answers = try RawJSON(checking: text).read(as: .array(of: .any)).map { try Answer($0.description) }
                #expect(answers.map(\.id) == (0..<count).map(id))
                #expect(answers.allSatisfy { [nil, .tooLarge].contains($0.error?.kind) })
                #expect(answers.dropLast().allSatisfy { $0.error == nil })
                // Answers that fit are delivered.
                if excess + count + 1 <= 0 { #expect(answers.allSatisfy { $0.error == nil }) }
            }
        }
    }

    @Test func `an answer that was replaced by an error counts with the length of the error`() throws {
        let batch = Batch(count: 2, limit: 2_000)
        let (large, error) = (RawJSON(unchecked: Array(repeating: 0x31, count: 1_900)), RawJSON(unchecked: [0x31]))
        #expect(batch.add(.init(id: nil, answer: large), at: 0, replacement: { _ in error }) == nil)
        #expect(batch.add(.init(id: nil, answer: large), at: 1, replacement: { _ in error }) == [error, large])
        // Each with its comma.
        #expect(batch.bytes == 2 + 1_901)
    }
}
