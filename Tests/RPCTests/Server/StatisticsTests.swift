import RPC
import RPCTestKit
import Testing

struct StatisticsTests {
    @Test func `calls are counted by method, errors by kind, batches by member, and notifications too`() async throws {
        try await withPeer { peer, _ in
            for kind in ["not_found", "not_found", "overloaded"] {
                _ = try await peer.answer(to: request("1", "echo.fail", #"{"text":"\#(kind)"}"#))
            }
            let say = request("1", "echo.say", #"{"text":"a"}"#)
            _ = try await peer.answers(to: "[\(say),\(request("2", "echo.say", "{}"))]")
            try await peer.send(#"{"jsonrpc":"2.0","method":"echo.say","params":{"text":"a"}}"#)
            _ = try await peer.answer(to: request("1", "echo.nothing"))
            let methods = try await peer.statistics().methods
            #expect(methods.keys.sorted() == ["echo.fail", "echo.say", "other", "rpc.stats"])
            #expect(methods["echo.fail"]?.sinceStart.calls == 3)
            #expect(methods["echo.fail"]?.sinceStart.errors == ["not_found": 2, "overloaded": 1])
            #expect(
                methods["echo.say"]?.sinceStart.calls == 3
                    && methods["echo.say"]?.sinceStart.errors == ["invalid_params": 1])
            #expect(methods["echo.say"]?.sinceStart.latency.count == 3 && methods["echo.say"]?.underWay == 0)
            #expect(
                methods["other"]?.sinceStart.errors == ["method_not_found": 1]
                    && methods["other"]?.sinceStart.latency.count == 0)
            #expect(methods["rpc.stats"]?.underWay == 1)
        }
    }

    @Test func `a method with both kinds of answers is one method`() async throws {
        var table = EchoContract.table
        let echoes = StreamMethod(
            EchoContract.echo.name, "Say it.", params: EchoContract.Text.codec, item: EchoContract.Text.codec)
        table.handle(echoes) { params, _, items in try await items.send(params) }
        try await TestServer.with(table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { client in
                try await client.expectEcho()
                let items = try await client.withStream(echoes, .init(text: "a")) { stream in
                    var items: [EchoContract.Text] = []
                    for try await item in stream { items.append(item) }
                    return items
                }
                #expect(items == [EchoContract.Text(text: "a")])
                let statistics = try await client.call(ProtocolMethods.stats, ServiceSelection())
                #expect(statistics.methods[EchoContract.echo.name]?.sinceStart.calls == 2)
            }
        }
    }

    @Test func `calls under way end with their answer, their cancellation, or their connection`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, server in
            let leaver = try await WirePeer.connect(to: server.path)
            for name in ["a", "b"] { try await peer.send(waiting("\"\(name)\"", name)) }
            try await leaver.send(waiting("1", "c"))
            for _ in 0..<3 { _ = await gate.arrival() }
            var wait = try await peer.statistics().methods["echo.wait"]
            #expect(wait?.sinceStart.calls == 3 && wait?.underWay == 3 && wait?.sinceStart.latency.count == 0)
            #expect(try await peer.statistics().process.connections == 2)

            gate.open("a")
            #expect(try await peer.answer().id == "\"a\"")
            try await peer.send(#"{"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":"b"}}"#)
            #expect(try await peer.answer().error?.kind == .cancelled)
            try await leaver.close()
            for _ in 0..<2 { _ = await gate.cancellation() }
            wait = try await peer.statistics().methods["echo.wait"]
            #expect(
                wait?.underWay == 0 && wait?.sinceStart.errors == ["cancelled": 2]
                    && wait?.sinceStart.latency.count == 3)
            #expect(try await peer.statistics().process.connections == 1)
        }
    }

    /// The duration of a stream is not a latency.
    @Test func `streams are counted, but not among the latencies`() async throws {
        try await withPeer { peer, _ in
            let stream = { (id: String, method: String, params: String) in
                #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params),"meta":{"stream":true}}"#
            }
            // One that ends, one that fails, and one that is cancelled.
            #expect(try await peer.answer(to: stream("1", "echo.count", #"{"bytes":0}"#)).error == nil)
            _ = try await peer.answer(to: stream("2", "echo.follow", #"{"text":"not_found"}"#))
            try await peer.send(stream("3", "echo.follow", #"{"text":"a"}"#))
            #expect(try await peer.statistics().methods["echo.follow"]?.underWay == 1)
            #expect(try await peer.answer(to: cancel("3")).error?.kind == .cancelled)
            let methods = try await peer.statistics().methods
            let (count, follow) = (methods["echo.count"], methods["echo.follow"])
            #expect(count?.sinceStart.calls == 1 && count?.underWay == 0 && count?.sinceStart.latency.count == 0)
            #expect(follow?.sinceStart.calls == 2 && follow?.underWay == 0 && follow?.sinceStart.latency.count == 0)
            #expect(follow?.sinceStart.errors == ["not_found": 1, "cancelled": 1])
            #expect(methods["rpc.stats"]?.sinceStart.latency.count == 1)
        }
    }

    @Test func `the statistics of the process are plausible`() async throws {
        try await withPeer { peer, _ in
            let process = try await peer.statistics().process
            #expect(process.connections == 1 && process.handlers == 1 && process.queuedBytes == 0)
            #expect((1_000_000...10_000_000_000).contains(process.memoryBytes ?? 0))
            #expect((0...60).contains(process.uptime))
        }
    }

    @Test func `forwarded calls are counted by their service`() async throws {
        var table = EchoContract.table
        table.forward = { method, _, _, completion in
            completion(.failure(RPCError(.unavailable, method)))
            return {}
        }
        table.isForwarded = { $0 == "likes" }
        try await TestServer.with(table) { server in
            let peer = try await WirePeer.connect(to: server.path)
            for method in ["likes.a", "likes.b", "nobody.a", "plain"] {
                _ = try await peer.answer(to: request("1", method))
            }
            let methods = try await peer.statistics().methods
            #expect(methods.keys.sorted() == ["likes.*", "other", "rpc.stats"])
            #expect(
                methods["likes.*"]?.sinceStart.errors == ["unavailable": 2] && methods["other"]?.sinceStart.calls == 2)
        }
    }

    @Test func `a service accepts only its own name`() async throws {
        try await withPeer { peer, _ in
            #expect(try await peer.answer(to: request("1", "rpc.stats", #"{"service":"test"}"#)).error == nil)
            let answer = try await peer.answer(to: request("1", "rpc.stats", #"{"service":"other"}"#))
            #expect(answer.error?.message == "params.service: must be test or absent")
        }
    }
}
