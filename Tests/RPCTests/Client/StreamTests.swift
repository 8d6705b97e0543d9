import RPC
import RPCTestKit
import Testing

struct StreamTests {
    @Test(arguments: [0, 1, 15, 16, 17, 1_000])
    func `all items come, in order, and then the end`(count: Int) async throws {
        try await withClient { client, _ in
            let items = try await client.withStream(EchoContract.count, .init(bytes: count)) { items in
                try await items.reduce(into: []) { $0.append($1.text) }
            }
            #expect(items == (0..<count).map(String.init))
        }
    }

    @Test(arguments: [1, 2, 1_024]) func `any window size works`(window: Int) async throws {
        try await withClient { client, _ in
            var options = CallOptions.endless()
            options.window = window
            let items = try await client.withStream(EchoContract.count, .init(bytes: 100), options) { items in
                try await items.reduce(into: 0) { count, _ in count += 1 }
            }
            #expect(items == 100)
        }
    }

    @Test func `an item comes as soon as there is one`() async throws {
        let gate = Gate()
        try await withClient(gate: gate) { client, _ in
            try await client.withStream(EchoContract.follow, .init(text: "a")) { items in
                var items = items
                for number in 0..<3 {
                    gate.open("a \(number)")
                    let item = try await items.next()
                    #expect(item?.text == "\(number)")
                }
            }
            // Three, then it waits for the fourth until it is cancelled, because the items are not taken any more.
            #expect(await gate.cancellation() == "a 3")
        }
    }

    @Test func `a stream whose task is cancelled is cancelled at the server`() async throws {
        let gate = Gate()
        try await withClient(gate: gate) { client, _ in
            let taking = Task {
                try await client.withStream(EchoContract.follow, .init(text: "a")) { items in
                    for try await _ in items {}
                }
            }
            #expect(await gate.arrival() == "a 0")
            taking.cancel()
            let error = await #expect(throws: RPCError.self) { try await taking.value }
            #expect(error?.kind == .cancelled)
            #expect(await gate.cancellation() == "a 0")
        }
    }

    @Test func `a stream ends with its handler's error`() async throws {
        try await withClient { client, _ in
            let error = await #expect(throws: RPCError.self) {
                try await client.withStream(EchoContract.follow, .init(text: "not_found")) { items in
                    for try await _ in items {}
                }
            }
            #expect(error?.kind == .notFound)
        }
    }

    @Test func `a deadline ends a stream`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        try await withClient(gate: gate, executor: .timed(by: clock)) { client, _ in
            let taking = Task {
                try await client.withStream(
                    EchoContract.follow, .init(text: "a"), CallOptions(timeout: .milliseconds(50))
                ) { items in
                    for try await _ in items {}
                }
            }
            #expect(await gate.arrival() == "a 0")
            await clock.advance(by: .milliseconds(50))
            let error = await #expect(throws: RPCError.self) { try await taking.value }
            #expect(error?.kind == .deadlineExceeded)
        }
    }

    @Test func `a draining server ends its streams, and says so`() async throws {
        let gate = Gate()
        try await withClient(gate: gate) { client, server in
            let taking = Task {
                try await client.withStream(EchoContract.follow, .init(text: "a")) { items in
                    for try await _ in items {}
                }
            }
            #expect(await gate.arrival() == "a 0")
            server.stop()
            let error = await #expect(throws: RPCError.self) { try await taking.value }
            #expect(error?.kind == .unavailable)
            await server.ended()
        }
    }

    @Test func `streams use at most half of the peer's capacity for calls`() async throws {
        var limits = Limits()
        limits.callsPerConnection = 4
        let gate = Gate()
        try await TestServer.with(EchoContract.table(gate), limits: limits) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                try await client.expectEcho()
                let streams = (0..<2).map { number in
                    Task {
                        try await client.withStream(EchoContract.follow, .init(text: "\(number)")) { items in
                            for try await _ in items {}
                        }
                    }
                }
                _ = (await gate.arrival(), await gate.arrival())
                let error = await #expect(throws: RPCError.self) {
                    try await client.withStream(EchoContract.follow, .init(text: "2")) { items in
                        for try await _ in items {}
                    }
                }
                #expect(error?.kind == .overloaded)
                #expect(error?.begun == false)
                try await client.expectEcho()
                for stream in streams { stream.cancel() }
                for stream in streams { _ = await stream.result }
                // Their capacity is free again.
                try await client.withStream(EchoContract.count, .init(bytes: 1)) { items in
                    for try await _ in items {}
                }
            }
        }
    }
}
