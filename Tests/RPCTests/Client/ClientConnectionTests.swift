import RPC
import RPCTestKit
import Testing

struct ClientConnectionTests {
    private func withPath(_ body: (SocketPath) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(try SocketPath($0 + "/test.sock")) }
    }

    /// Makes a server drain, and returns once its clients are told.
    private func drain(_ server: TestServer) async throws {
        let peer = try await WirePeer.connect(to: server.path)
        try await peer.greet([])
        server.stop()
        #expect(try await peer.receive()?.contains("rpc.draining") == true)
        try await peer.close()
    }

    @Test func `without a listener, calls are unavailable at once, naming the path, and nothing is begun`()
        async throws
    {
        try await withPath { path in
            try await RPCClient.withConnection(to: path, as: "test") { client in
                for _ in 0..<3 {
                    let error = await #expect(throws: RPCError.self) {
                        try await client.call(EchoContract.echo, .init(text: "a"))
                    }
                    #expect(error?.kind == .unavailable)
                    #expect(error?.begun == false)
                    #expect(error?.message == "\(path): cannot connect (No such file or directory)")
                }
            }
        }
    }

    @Test func `calls made while connecting wait for the connection`() async throws {
        try await TestServer.with(EchoContract.table) { server in
            let client = await RPCClient.make(to: server.path, as: "test")
            try await withThrowingTaskGroup(of: Void.self) { group in
                let calls = (0..<10).map { number in
                    Task { try await client.call(EchoContract.echo, .init(text: "\(number)")).text }
                }
                #expect(await client.greeting() == nil)
                group.addTask { await client.run() }
                for (number, call) in calls.enumerated() {
                    let text = try await call.value
                    #expect(text == "\(number)")
                }
                let greeting = try #require(await client.greeting())
                #expect(greeting.service.name == "test")
                #expect(greeting.contracts == ["echo": 1])
                group.cancelAll()
            }
        }
    }

    @Test func `a peer without rpc.hello is accepted`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let answer = Task { try await client.call(EchoContract.echo, .init(text: "a")) }
                let peer = try await listener.accept()
                _ = try await peer.receive()
                try await peer.send(#"{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no such method"}}"#)
                _ = try await peer.receive()
                try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#)
                #expect(try await answer.value.text == "b")
            }
        }
    }

    @Test func `a peer that speaks no common version is unavailable, saying why`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let answer = Task { try await client.call(EchoContract.echo, .init(text: "a")) }
                let peer = try await listener.accept()
                _ = try await peer.receive()
                try await peer.send(#"{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"no common version"}}"#)
                let error = await #expect(throws: RPCError.self) { try await answer.value }
                #expect(error?.kind == .unavailable)
                #expect(error?.message.contains("no common version") == true)
            }
        }
    }

    @Test func `a server that does not trust the client is permission_denied at once`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let answer = Task { try await client.call(EchoContract.echo, .init(text: "a")) }
                let peer = try await listener.accept()
                _ = try await peer.receive()
                try await peer.send(
                    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32008,"message":"not for you","data":{"begun":false}}}"#
                )
                let error = await #expect(throws: RPCError.self) { try await answer.value }
                #expect(error?.kind == .permissionDenied && error?.begun == false)
            }
        }
    }

    @Test func `a call under way when the server dies is unavailable and may have begun`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                var options = CallOptions()
                options.isRepeatable = false
                let answer = Task { [options] in
                    try await client.call(EchoContract.wait, .init(text: "a"), options)
                }
                #expect(await gate.arrival() == "a")
                server.kill()
                let error = await #expect(throws: RPCError.self) { try await answer.value }
                #expect(error?.kind == .unavailable)
                #expect(error?.begun == true)
            }
        }
    }

    @Test func `a client connects again to a server that was restarted`() async throws {
        try await withPath { path in
            let (changes, clock) = (Changes(), ManualClock())
            let client = await RPCClient.make(
                to: path, as: "test", executor: .timed(by: clock), onChange: changes.add)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await client.run() }
                for _ in 0..<3 {
                    // It has not found a server.
                    let pause = await clock.timeToNextWake()
                    try await TestServer.with(EchoContract.table, at: path) { server in
                        await clock.advance(by: pause)
                        // Calls wait for a server that was found before.
                        #expect(await changes.first(1) == [.appeared])
                        try await client.expectEcho()
                        server.kill()
                        await server.ended()
                    }
                }
                group.cancelAll()
            }
        }
    }

    @Test func `calls after a server began to drain wait for its successor; those under way are answered`() async throws
    {
        let (gate, clock) = (Gate(), ManualClock())
        try await withPath { path in
            try await TestServer.with(EchoContract.table(gate), at: path) { old in
                try await RPCClient.withConnection(to: path, as: "test", executor: .timed(by: clock)) { client in
                    let underWay = Task { try await client.call(EchoContract.wait, .init(text: "under way")) }
                    #expect(await gate.arrival() == "under way")
                    let other = Task { try await client.call(EchoContract.wait, .init(text: "other")) }
                    #expect(await gate.arrival() == "other")
                    try await drain(old)
                    gate.open("other")
                    _ = try await other.value
                    let next = Task { try await client.call(EchoContract.wait, .init(text: "next")) }
                    // The old server holds the lock until it has ended.
                    gate.open("under way")
                    #expect(try await underWay.value.text == "under way")
                    await old.ended()
                    try await TestServer.with(EchoContract.table(gate), at: path) { _ in
                        await clock.advance(by: await clock.timeToNextWake())
                        gate.open("next")
                        let text = try await next.value.text
                        #expect(text == "next")
                    }
                }
            }
        }
    }

    @Test func `a client asks a draining server, not its successor, for its health`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                async let call = client.call(EchoContract.wait, .init(text: "a"))
                #expect(await gate.arrival() == "a")
                async let other = client.call(EchoContract.wait, .init(text: "b"))
                #expect(await gate.arrival() == "b")
                try await drain(server)
                gate.open("b")
                // Its answer follows the notification.
                _ = try await other
                #expect(try await client.call(ProtocolMethods.health, ServiceSelection()).status == .draining)
                gate.open("a")
                #expect(try await call.text == "a")
            }
            await server.ended()
        }
    }

    @Test func `a call on a draining server can be cancelled and is cancelled there`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                let call = Task { try await client.call(EchoContract.wait, .init(text: "a")) }
                #expect(await gate.arrival() == "a")
                let other = Task { try await client.call(EchoContract.wait, .init(text: "b")) }
                #expect(await gate.arrival() == "b")
                try await drain(server)
                gate.open("b")
                _ = try await other.value
                // The client has read that the server drains.
                call.cancel()
                let error = await #expect(throws: RPCError.self) { try await call.value }
                #expect(error?.kind == .cancelled)
                #expect(await gate.cancellation() == "a")
                await server.ended()
            }
        }
    }

    @Test func `a client stops at once though a draining peer keeps the connection open`() async throws {
        try await WireListener.with { listener in
            try await RPCClient.withConnection(to: listener.path, as: "test") { client in
                let peer = try await listener.acceptGreeting()
                let answered = callEcho(client)
                _ = try await peer.receive()
                // Keeps the connection open.
                _ = callEcho(client)
                _ = try await peer.receive()
                try await peer.send(#"{"jsonrpc":"2.0","method":"rpc.draining","params":{}}"#)
                try await peer.send(#"{"jsonrpc":"2.0","id":1,"result":{"text":"b"}}"#)
                _ = try await answered.value
            }
        }
    }

    @Test func `calls end when the client stops, and later ones fail at once`() async throws {
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate)) { server in
            let client = await RPCClient.make(to: server.path, as: "test")
            let running = Task { await client.run() }
            let underWay = Task { try await client.call(EchoContract.wait, .init(text: "a")) }
            #expect(await gate.arrival() == "a")
            running.cancel()
            let error = await #expect(throws: RPCError.self) { try await underWay.value }
            #expect(error?.kind == .unavailable)
            #expect(error?.message == "\(server.path): the client has stopped")
            #expect(await gate.cancellation() == "a")
            await running.value
            let late = await #expect(throws: RPCError.self) {
                try await client.call(EchoContract.echo, .init(text: "b"))
            }
            #expect(late?.kind == .unavailable)
            #expect(late?.begun == false)
        }
    }
}
