import NIOCore
import RPCTestKit
import Testing

@testable import RPC

@Suite(.timeLimit(.minutes(1))) struct ClientCallTests {
    /// Runs `body` with a client of a server of the echo contract.
    private func withClient(
        gate: Gate = Gate(), limits: Limits = Limits(), client: Limits = Limits(),
        _ body: @Sendable (RPCClient, TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(EchoContract.table(gate), limits: limits) { server in
            try await RPCClient.withConnection(to: server.path, as: "test", limits: client) {
                try await body($0, server)
            }
        }
    }

    @Test func `an answer comes back to its call, in whatever order answers come`() async throws {
        let gate = Gate()
        try await withClient(gate: gate) { client, _ in
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        try await client.call(EchoContract.wait, .init(text: "\(number)")).text + "=\(number)"
                    }
                }
                for _ in 0..<100 { _ = await gate.arrival() }
                for number in (0..<100).reversed() { gate.open("\(number)") }
                for try await pair in group {
                    let sides = pair.split(separator: "=")
                    #expect(sides.first == sides.last)
                }
            }
        }
    }

    @Test func `a call goes over the wire as the specification has it`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "me") { client in
                let trace = TraceContext(
                    parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", state: "a=1")
                let answer = Task {
                    try await client.call(
                        EchoContract.echo, .init(text: "a"), CallOptions(timeout: .hours(48), trace: trace))
                }
                let peer = try await listener.accept()
                let hello = try await peer.receive()
                #expect(
                    hello == """
                        {"jsonrpc":"2.0","id":0,"method":"rpc.hello","params":{"protocols":[1],"client":{"name":"me",\
                        "version":"1"},"features":["bytes","parts","credit"],"limits":{"frame_bytes":8388608}}}
                        """)
                try await peer.sendGreeting()
                let call = try await peer.receive()
                #expect(
                    call == """
                        {"jsonrpc":"2.0","id":1,"method":"echo.say","params":{"text":"a"},"meta":{"timeout_ms":86400000,\
                        "traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","tracestate":"a=1"}}
                        """)
                try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#)
                #expect(try await answer.value.text == "b")
            }
        }
    }

    // MARK: Answers

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
                #"{"code":-32007,"message":"m","data":{"kind":"overloaded","begun":false,"retry_after_ms":7,"new":1}}"#,
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
    func `what is no answer is invalid data, and says why`(text: String) async throws {
        let error = await #expect(throws: RPCError.self) { try await answer(text) }
        #expect(error?.kind == .invalidData)
        #expect(error?.begun == true)
        #expect(error?.message.contains("it closed the connection") == false)
    }

    @Test(
        arguments: [
            ([1, 0, 0, 0], .invalidData), ([0, 0xFF, 0xFF, 0xFF], .invalidData), ([0, 0, 0, 2, 0x7B], .unavailable),
        ] as [([UInt8], ErrorKind)])
    func `a bad frame is invalid data, one that ends too soon a peer that is gone`(
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

    @Test func `answers that nobody waits for and notifications of later versions are ignored`() async throws {
        let text = try await answer(
            #"{"jsonrpc":"2.0","id":99,"result":{"text":"no"}}"#,
            #"{"jsonrpc":"2.0","method":"rpc.news","params":{"a":1}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#
        ).text
        #expect(text == "b")
    }

    /// What the client makes of these messages after its call.
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

    @Test func `a message over the limit is refused before it leaves, and the connection lives on`() async throws {
        var limits = Limits()
        limits.frameBytes = 1_000
        try await withClient(client: limits) { client, _ in
            let error = await #expect(throws: RPCError.self) {
                try await client.call(EchoContract.echo, .init(text: String(repeating: "x", count: 1_000)))
            }
            #expect(error?.kind == .tooLarge)
            #expect(error?.begun == false)
            try await client.expectEcho()
        }
    }

    @Test func `the largest message that the server takes is honoured`() async throws {
        var limits = Limits()
        limits.frameBytes = 1_000
        try await withClient(limits: limits) { client, _ in
            _ = try await client.call(EchoContract.echo, .init(text: "once greeted"))
            let error = await #expect(throws: RPCError.self) {
                try await client.call(EchoContract.echo, .init(text: String(repeating: "x", count: 1_000)))
            }
            #expect(error?.kind == .tooLarge)
            try await client.expectEcho()
        }
    }

    // MARK: Cancelling

    @Test func `cancelling the task cancels the call at the server`() async throws {
        let gate = Gate()
        try await withClient(gate: gate) { client, _ in
            let call = Task { try await client.call(EchoContract.wait, .init(text: "a")) }
            #expect(await gate.arrival() == "a")
            call.cancel()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
            #expect(await gate.cancellation() == "a")
            try await client.expectEcho()
        }
    }

    @Test func `cancelling returns at once, though the server never answers`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let call = Task { try await client.call(EchoContract.echo, .init(text: "a")) }
                let peer = try await listener.acceptGreeting()
                _ = try await peer.receive()
                call.cancel()
                let error = await #expect(throws: RPCError.self) { try await call.value }
                #expect(error?.kind == .cancelled)
                let cancel = try await peer.receive()
                #expect(cancel == #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}"#)
            }
        }
    }

    @Test func `a call in a task that is cancelled already ends cancelled`() async throws {
        let gate = Gate()
        try await withClient(gate: gate) { client, _ in
            let (start, starting) = AsyncStream.makeStream(of: Void.self)
            let call = Task {
                for await _ in start {}
                return try await client.call(EchoContract.wait, .init(text: "a"))
            }
            call.cancel()
            starting.finish()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test func `a call that waits for a connection can be cancelled`() async throws {
        try await withTemporaryDirectory { directory in
            // Nobody runs this client: it never connects.
            let client = await RPCClient.make(to: try SocketPath(directory + "/test.sock"), as: "test")
            let call = Task { try await client.call(EchoContract.echo, .init(text: "a")) }
            call.cancel()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
        }
    }

    // MARK: Deadlines

    @Test func `a call ends at its deadline though the peer never answers, and the server is told`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.acceptGreeting()
                let answer = Task {
                    try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(timeout: .seconds(1)))
                }
                _ = try await peer.receive()
                let error = await #expect(throws: RPCError.self) { try await answer.value }
                #expect(error?.kind == .deadlineExceeded)
                let cancel = try await peer.receive()
                #expect(cancel == #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}"#)
            }
        }
    }

    @Test func `a peer that accepts and says nothing at all does not hold a call beyond its deadline`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let error = await #expect(throws: RPCError.self) {
                    try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(50)))
                }
                #expect(error?.kind == .deadlineExceeded)
            }
        }
    }

    @Test func `a deadline covers waiting for a connection, and says that nothing was begun`() async throws {
        try await withTemporaryDirectory { directory in
            let client = await RPCClient.make(to: try SocketPath(directory + "/test.sock"), as: "test")
            let error = await #expect(throws: RPCError.self) {
                try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(30)))
            }
            #expect(error?.kind == .deadlineExceeded)
            #expect(error?.begun == false)
        }
    }

    @Test func `what is left of a call's time and its trace go with the calls that it makes`() {
        let trace = TraceContext.random()
        let deadline = NIODeadline.now() + .seconds(10)
        let options = CallOptions(
            onBehalfOf: CallContext(
                deadline: deadline, trace: trace, takesAttachments: true, priority: .prefetch, window: 3, peer: nil,
                connection: nil))
        let now = deadline - .milliseconds(1_500)
        #expect(
            options.meta(now: now, isStream: true, takesAttachments: true)
                == RequestMeta(
                    timeout: 1_500, trace: trace, attachments: true, stream: true, window: 3, priority: .prefetch))
        // A call whose time is over is still a valid request.
        #expect(options.meta(now: deadline + .seconds(1), isStream: false, takesAttachments: false).timeout == 1)
    }

    // MARK: The peer's limits

    @Test func `more calls than the peer takes are queued`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.callsPerConnection = 3
        try await withClient(gate: gate, limits: limits) { client, _ in
            _ = try await client.call(EchoContract.echo, .init(text: "once greeted"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { _ = try await client.call(EchoContract.wait, .init(text: "\(number)")) }
                }
                for _ in 0..<20 { gate.open(try #require(await gate.arrival())) }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a queued call can be cancelled, and its deadline holds, without the server's hearing of it`()
        async throws
    {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let first = Task { try await client.call(EchoContract.echo, .init(text: "first")) }
                let peer = try await listener.acceptGreeting(callsPerConnection: 1)
                _ = try await peer.receive()
                // The greeting's answer is read before whatever follows it.
                try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"first"}}"#)
                #expect(try await first.value.text == "first")

                let second = Task { try await client.call(EchoContract.echo, .init(text: "second")) }
                _ = try await peer.receive()
                let late = await #expect(throws: RPCError.self) {
                    try await client.call(
                        EchoContract.echo, .init(text: "late"), CallOptions(timeout: .milliseconds(30)))
                }
                #expect(late?.kind == .deadlineExceeded)
                #expect(late?.begun == false)
                let cancelled = Task { try await client.call(EchoContract.echo, .init(text: "cancelled")) }
                cancelled.cancel()
                let error = await #expect(throws: RPCError.self) { try await cancelled.value }
                #expect(error?.kind == .cancelled)

                try await peer.send(#"{"jsonrpc":"2.0","id":2,"result":{"text":"second"}}"#)
                #expect(try await second.value.text == "second")
                let last = Task { try await client.call(EchoContract.echo, .init(text: "last")) }
                #expect(try await peer.receive()?.contains("\"last\"") == true)
                try await peer.send(#"{"jsonrpc":"2.0","id":5,"result":{"text":"last"}}"#)
                #expect(try await last.value.text == "last")
            }
        }
    }
}
