import NIOCore
import RPCTestKit
import Testing

@testable import RPC

struct ClientCallTests {
    @Test func `an answer comes back to its call, in whatever order answers come`() async throws {
        let gate = Gate()
        try await withClient(gate: gate, executor: .timed(by: ManualClock())) { client, _ in
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

    @Test func `a call is encoded as specified`() async throws {
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

    @Test func `a task that is cancelled already sends nothing`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.acceptGreeting()
                // From now on, calls are sent when they are made.
                try await expectAlive(client, peer, id: 1)
                for isStream in [false, true] {
                    let (start, starting) = AsyncStream.makeStream(of: Void.self)
                    let task = Task {
                        for await _ in start {}
                        if isStream {
                            try await client.withStream(EchoContract.count, .init(bytes: 1)) { items in
                                for try await _ in items {}
                            }
                        } else {
                            _ = try await client.call(EchoContract.echo, .init(text: "cancelled"))
                        }
                    }
                    task.cancel()
                    starting.finish()
                    let error = await #expect(throws: RPCError.self) { try await task.value }
                    #expect(error?.kind == .cancelled && error?.begun == false)
                }
                let call = Task { try await client.call(EchoContract.echo, .init(text: "next")) }
                let request = try #require(try await peer.receive())
                #expect(request.contains("next"))
                let id = try #require(request.firstMatch(of: /"id":([0-9]+)/)?.1)
                try await peer.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"text":"b"}}"#)
                #expect(try await call.value.text == "b")
            }
        }
    }

    @Test func `a call that waits for a connection can be cancelled`() async throws {
        try await withTemporaryDirectory { directory in
            // This client is not running, so it never connects.
            let client = await RPCClient.make(to: try SocketPath(directory + "/test.sock"), as: "test")
            let call = Task { try await client.call(EchoContract.echo, .init(text: "a")) }
            call.cancel()
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .cancelled)
        }
    }

    // MARK: Deadlines

    @Test func `a call ends at its deadline though the peer never answers, and the server is told`() async throws {
        let clock = ManualClock()
        try await withWireServer(executor: .timed(by: clock)) { client, peer in
            let answer = Task {
                try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(timeout: .seconds(1)))
            }
            _ = try await peer.receive()
            await clock.advance(by: .seconds(1))
            let error = await #expect(throws: RPCError.self) { try await answer.value }
            #expect(error?.kind == .deadlineExceeded)
            let cancel = try await peer.receive()
            #expect(cancel == #"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}"#)
        }
    }

    @Test func `a peer that accepts and says nothing at all does not hold a call beyond its deadline`() async throws {
        let clock = ManualClock()
        try await WireListener.with { listener in
            try await RPCClient.withConnection(
                to: listener.path, as: "test", executor: .timed(by: clock)
            ) { client in
                let call = Task {
                    try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(50)))
                }
                await clock.advance(by: .milliseconds(50), once: 1)
                let error = await #expect(throws: RPCError.self) { try await call.value }
                #expect(error?.kind == .deadlineExceeded)
            }
        }
    }

    @Test func `a deadline covers waiting for a connection, and says that nothing was begun`() async throws {
        try await withTemporaryDirectory { directory in
            let clock = ManualClock()
            let client = await RPCClient.make(
                to: try SocketPath(directory + "/test.sock"), as: "test", executor: .timed(by: clock))
            let call = Task {
                try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(timeout: .milliseconds(30)))
            }
            await clock.advance(by: .milliseconds(30), once: 1)
            let error = await #expect(throws: RPCError.self) { try await call.value }
            #expect(error?.kind == .deadlineExceeded)
            #expect(error?.begun == false)
        }
    }

    /// For calls that were sent, and for queued calls.
    @Test(arguments: [100, 1]) func `each call has its own deadline, whatever their order`(atATime: Int) async throws {
        let clock = ManualClock()
        let executor = LoopExecutor.timed(by: clock)
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test", executor: executor) { client in
                let peer = try await listener.acceptGreeting(callsPerConnection: atATime)
                // Begins before any later task of the executor.
                let call = { (timeout: TimeAmount) in
                    Task(executorPreference: executor) {
                        try await client.call(EchoContract.echo, .init(text: "a"), CallOptions(timeout: timeout))
                    }
                }
                let long = call(.hours(1))
                #expect(try await peer.receive()?.contains("echo.say") == true)
                let shorts = [150, 50, 100].map { call(.milliseconds($0)) }
                await Task(executorPreference: executor) {}.value
                for index in [1, 2, 0] {
                    await clock.advance(by: .milliseconds(50))
                    let error = await #expect(throws: RPCError.self) { try await shorts[index].value }
                    #expect(error?.kind == .deadlineExceeded && error?.begun == (atATime > 1))
                }
                try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#)
                #expect(try await long.value.text == "b")
            }
        }
    }

    @Test func `calls inherit the remaining time and the trace of the call that they serve`() {
        let trace = TraceContext.random()
        let clock = ManualClock()
        let deadline = clock.now + .seconds(10)
        let options = CallOptions(
            onBehalfOf: CallContext(
                deadline: deadline, clock: clock, trace: trace, takesAttachments: true, priority: .prefetch, window: 3,
                hops: 2,
                peer: nil,
                connection: nil))
        #expect(options.deadline(now: clock.now) == deadline)
        let now = deadline - .milliseconds(1_500)
        #expect(
            options.meta(now: now, until: deadline, isStream: true)
                == RequestMeta(
                    timeout: 1_500, trace: trace, attachments: true, stream: true, window: 3, priority: .prefetch,
                    hops: 3))
        // A call whose deadline has passed is still a valid request.
        #expect(options.meta(now: deadline + .seconds(1), until: deadline, isStream: false).timeout == 1)
    }
}
