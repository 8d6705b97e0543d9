import RPC
import RPCTestKit
import Testing

struct HandlerErrorTests {
    @Test func `a declared error reaches the caller, byte for byte`() async throws {
        try await withPeer { peer, server in
            try await peer.expect(
                """
                {"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"on purpose","data":{"kind":"not_found",\
                "retryable":false,"begun":true,"service":"test"}}}
                """, to: request("1", "echo.fail", #"{"text":"not_found"}"#))
            #expect(server.faults.isEmpty)
        }
    }

    @Test(arguments: [
        "unavailable", "overloaded", "invalid_params", "too_large", "deadline_exceeded",
    ])
    func `an error that every method may answer reaches the caller`(kind: String) async throws {
        try await withPeer { peer, server in
            let answer = try await peer.answer(to: request("1", "echo.fail", #"{"text":"\#(kind)"}"#))
            #expect(answer.error?.kind.rawValue == kind)
            #expect(answer.error?.message == "on purpose")
            #expect(server.faults.isEmpty)
        }
    }

    @Test(arguments: ["already_exists", "permission_denied", "data_loss", "read_only", "connectivity", "invalid_data"])
    func `an undeclared error becomes internal, hidden from the caller and reported as a fault`(kind: String)
        async throws
    {
        try await withPeer { peer, server in
            let answer = try await peer.answer(to: request("1", "echo.fail", #"{"text":"\#(kind)"}"#))
            #expect(answer.error?.kind == .internalError)
            #expect(answer.code == -32603)
            #expect(!answer.text.contains("on purpose"))
            #expect(!answer.text.contains(kind))
            #expect(server.faults.map(\.method) == ["echo.fail"])
        }
    }

    @Test func `a foreign error becomes internal, hidden from the caller and reported in full as a fault`() async throws
    {
        try await withPeer { peer, server in
            let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            let answer = try await peer.answer(
                to:
                    #"{"jsonrpc":"2.0","id":1,"method":"echo.fail","params":{"text":"password"},"meta":{"traceparent":"\#(parent)"}}"#
            )
            #expect(answer.error?.kind == .internalError)
            #expect(answer.error?.begun == true)
            #expect(!answer.text.contains("password"))
            #expect(server.faults.map { $0.error as? EchoContract.Secret } == [.init(text: "password")])
            #expect(server.faults.map(\.trace.parent) == [parent])
            try await peer.expectAlive()
        }
    }

    @Test func `a fault in a notification is reported as well`() async throws {
        try await withPeer { peer, server in
            try await peer.send(#"{"jsonrpc":"2.0","method":"echo.fail","params":{"text":"a"}}"#)
            try await peer.expectAlive()
            #expect(server.faults.count == 1)
        }
    }

    @Test func `a handler that cancels itself answers cancelled`() async throws {
        try await withPeer { peer, server in
            let answer = try await peer.answer(to: request("1", "echo.fail", #"{"text":"cancellation"}"#))
            #expect(answer.error?.kind == .cancelled)
            #expect(server.faults.isEmpty)
        }
    }

    /// The table of the protocol specification.
    @Test(
        arguments: [
            ("parse_error", -32700), ("invalid_request", -32600), ("method_not_found", -32601),
            ("invalid_params", -32602), ("internal", -32603), ("cancelled", -32001), ("deadline_exceeded", -32002),
            ("unavailable", -32003), ("not_found", -32004), ("invalid_data", -32005), ("connectivity", -32006),
            ("overloaded", -32007), ("permission_denied", -32008), ("already_exists", -32009), ("data_loss", -32010),
            ("read_only", -32011), ("too_large", -32012),
        ] as [(String, Int)])
    func `a kind has its code`(name: String, code: Int) throws {
        let kind = try #require(ErrorKind(rawValue: name))
        #expect(kind.code == code)
        #expect(kind.isRetryable == ["unavailable", "overloaded", "connectivity"].contains(name))
        #expect(ErrorKind.allCases.count == 17)
    }

    @Test(arguments: [99, 100, 200])
    func `an answer over the limit is too_large, naming both, and the connection lives on`(size: Int) async throws {
        var limits = Limits()
        limits.frameBytes = 1_000
        try await withPeer(limits: limits) { peer, _ in
            let length = #"{"jsonrpc":"2.0","id":1,"result":{"text":""}}"#.utf8.count + size * 10
            let answer = try await peer.answer(to: request("1", "echo.grow", #"{"bytes":\#(size * 10)}"#))
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .tooLarge)
            #expect(
                answer.error?.message
                    == "the answer is too large: a message of \(length) bytes is over the limit of 1000 bytes")
            #expect(answer.error?.begun == true)
            try await peer.expectAlive()
        }
    }
}
