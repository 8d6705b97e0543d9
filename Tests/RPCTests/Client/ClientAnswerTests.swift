import JSON
import RPCTestKit
import Testing

@testable import RPC

/// How a client handles the messages that follow its call.
struct ClientAnswerTests {
    @Test(
        arguments: [
            (#"{"text":"b","new":1}"#, "b"), (#"{"count":null,"new":{"a":[]},"text":"b"}"#, "b"),
        ])
    func `unknown members of a result are ignored`(result: String, text: String) async throws {
        #expect(try await answer(#"{"jsonrpc":"2.0","new":1,"id":1,"result":\#(result)}"#).text == text)
    }

    @Test(
        arguments: [
            ("{}", "text: is missing"), ("null", "must be an object"), ("[]", "must be an object"),
            (#"{"text":"b","count":101}"#, "count: must be from 1 to 100, is 101"),
        ])
    func `an answer that breaks the contract is invalid_data`(result: String, reason: String) async throws {
        let error = await #expect(throws: RPCError.self) {
            try await answer(#"{"jsonrpc":"2.0","id":1,"result":\#(result)}"#)
        }
        #expect(error?.kind == .invalidData)
        #expect(error?.message.hasSuffix(reason) == true)
    }

    @Test(
        arguments: [
            (
                #"{"code":-32004,"message":"m","data":{"kind":"not_found","retryable":false,"begun":true,"service":"s","details":{"a":1}}}"#,
                ErrorKind.notFound
            ),
            (
                #"{"code":-32007,"message":"m","data":{"kind":"overloaded","begun":true,"retry_after_ms":7,"new":1}}"#,
                .overloaded
            ),
            (#"{"code":-32602,"message":"m"}"#, .invalidParams), (#"{"code":-1,"message":"m"}"#, .internalError),
            (#"{"code":-32004,"message":"m","data":{"kind":"of a later version"}}"#, .notFound),
            (#"{"code":-32004,"message":"m","data":null}"#, .notFound),
        ])
    func `an error reaches the caller, a plain peer's too`(json: String, kind: ErrorKind) async throws {
        let error = await #expect(throws: RPCError.self) {
            try await answer(#"{"jsonrpc":"2.0","id":1,"error":\#(json)}"#)
        }
        #expect(error?.kind == kind)
        #expect(error?.message == "m")
    }

    /// JSON-RPC allows any value there.
    @Test(
        arguments: [
            #""traceback (most recent call last) …""#, "1", "true", "[]", #"[{"kind":"not_found"}]"#, "{}",
            #"{"traceback":["a","b"]}"#, #"{"kind":7}"#, #"{"begun":"no","kind":"not_found"}"#,
            #"{"retry_after_ms":-1}"#, String(repeating: "[", count: 60) + String(repeating: "]", count: 60),
        ], [(-32602, ErrorKind.invalidParams), (-32099, .internalError)])
    func `the data of a foreign error are its details, and its kind is that of its code`(
        data: String, code: (Int, ErrorKind)
    ) async throws {
        let error = await #expect(throws: RPCError.self) {
            try await answer(#"{"jsonrpc":"2.0","id":1,"error":{"code":\#(code.0),"message":"m","data":\#(data)}}"#)
        }
        #expect(error?.kind == code.1 && error?.message == "m" && error?.begun == true)
        #expect(error?.details?.description == data)
        // A forwarder's caller gets the same error.
        let forwarded = try RawJSON(try #require(error), as: RPCError.codec).read(as: RPCError.codec)
        #expect(forwarded == error)
        _ = try RawJSON(checking: #"[{"error":\#(RawJSON(forwarded, as: RPCError.codec))}]"#)
    }

    /// A message may be nested 64 deep. Inside our own data, the details are nested one level deeper, and a batch adds
    /// another.
    @Test(arguments: [(60, true), (61, false)])
    func `foreign data that would be too deep for a forwarder's caller are left out`(
        depth: Int, areKept: Bool
    ) async throws {
        let data = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let error = await #expect(throws: RPCError.self) {
            try await answer(#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m","data":\#(data)}}"#)
        }
        #expect(error?.kind == .invalidParams)
        #expect((error?.details != nil) == areKept)
    }

    @Test(
        arguments: [
            "garbage", "", "1", "[]", #"[{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}]"#,
            #"{"jsonrpc":"2.0","id":1}"#,
            #"{"jsonrpc":"1.0","id":1,"result":{"text":"b"}}"#, #"{"jsonrpc":"2.0","result":{"text":"b"}}"#,
            #"{"jsonrpc":"2.0","id":null,"result":{"text":"b"}}"#, #"{"jsonrpc":"2.0","id":"1","result":{"text":"b"}}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{}}"#, #"{"jsonrpc":"2.0","id":1,"error":1}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":"-32004","message":"m"}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"text":"b"},"error":{"code":1,"message":"m"}}"#,
            #"{"jsonrpc":"2.0","id":1.0,"result":{"text":"b"}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
        ])
    func `an invalid answer is invalid data, with the reason`(text: String) async throws {
        let error = await #expect(throws: RPCError.self) { try await answer(text) }
        #expect(error?.kind == .invalidData)
        #expect(error?.begun == true)
        #expect(error?.message.contains("it closed the connection") == false)
    }

    @Test(
        arguments: [
            ([1, 0, 0, 0], .invalidData), ([0, 0xFF, 0xFF, 0xFF], .invalidData), ([0, 0, 0, 2, 0x7B], .unavailable),
        ] as [([UInt8], ErrorKind)])
    func `a bad frame is invalid data, a truncated one a lost connection`(
        bytes: [UInt8], kind: ErrorKind
    ) async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                var options = CallOptions()
                options.isRepeatable = false
                let answer = Task { [options] in
                    try await client.call(EchoContract.echo, .init(text: "a"), options)
                }
                let peer = try await listener.acceptGreeting()
                _ = try await peer.receive()
                try await peer.send(bytes)
                try await peer.finishSending()
                let error = await #expect(throws: RPCError.self) { try await answer.value }
                #expect(error?.kind == kind)
                #expect(error?.message.contains(listener.path.description) == true)
            }
        }
    }

    @Test func `late answers and unknown notifications are ignored`() async throws {
        let text = try await answer(
            #"{"jsonrpc":"2.0","id":99,"result":{"text":"no"}}"#,
            #"{"jsonrpc":"2.0","method":"rpc.news","params":{"a":1}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#
        ).text
        #expect(text == "b")
    }

    /// Sends these messages to the client after its call, and returns the outcome.
    private func answer(_ messages: String...) async throws -> EchoContract.Text {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let answer = Task { try await client.call(EchoContract.echo, .init(text: "a")) }
                let peer = try await listener.acceptGreeting()
                _ = try await peer.receive()
                for message in messages { try await peer.send(message) }
                return try await answer.value
            }
        }
    }
}
