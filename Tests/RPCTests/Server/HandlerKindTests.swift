import RPC
import RPCTestKit
import Testing

/// Synchronous and asynchronous handlers: a caller can tell them apart only by the order of answers.
struct HandlerKindTests {
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// Answers with the current trace of the handler.
    private static func table(waits: Bool) -> MethodTable {
        var table = EchoContract.table
        if waits {
            table.handle(EchoContract.trace) { _, _ in
                await Task.yield()
                return .init(text: TraceContext.current.parent ?? "none")
            }
        } else {
            table.handle(EchoContract.trace) { _, _ in .init(text: TraceContext.current.parent ?? "none") }
        }
        return table
    }

    @Test(arguments: [true, false])
    func `the trace of a call is current in its handler, and in no other`(waits: Bool) async throws {
        try await TestServer.with(Self.table(waits: waits)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let traced =
                #"{"jsonrpc":"2.0","id":1,"method":"echo.trace","meta":{"traceparent":"\#(Self.trace)"}}"#
            try await peer.send([traced, request("2", "echo.trace")].flatMap(WirePeer.frame))
            var answers: [String: String] = [:]
            for _ in 0..<2 {
                let answer = try await peer.answer()
                answers[answer.id] = answer.result
            }
            #expect(answers == ["1": #"{"text":"\#(Self.trace)"}"#, "2": #"{"text":"none"}"#])
        }
    }

    @Test(arguments: [true, false])
    func `a notification is handled and counted, and not answered`(waits: Bool) async throws {
        let (ends, ended) = AsyncStream.makeStream(of: CallRecord.self)
        try await TestServer.with(Self.table(waits: waits), onCall: { ended.yield($0) }) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(#"{"jsonrpc":"2.0","method":"echo.trace"}"#)
            for await call in ends {
                #expect(call.method == "echo.trace")
                break
            }
            try await peer.expectAlive()
            #expect(try await peer.statistics().methods["echo.trace"]?.sinceStart.latency.count == 1)
        }
    }

    @Test func `synchronous calls are answered in order, before an asynchronous one`() async throws {
        let gate = Gate()
        try await withPeer(gate: gate) { peer, _ in
            let say = (2...40).map { request("\($0)", "echo.say", #"{"text":"a"}"#) }
            try await peer.send(([waiting("1", "a")] + say).flatMap(WirePeer.frame))
            for id in 2...40 { #expect(try await peer.answer().id == "\(id)") }
            gate.open("a")
            #expect(try await peer.answer().id == "1")
        }
    }

    /// Its turn is over after a millisecond; the remaining calls run after other connections had their turns.
    @Test func `a synchronous call is also answered if it has to wait for its turn`() async throws {
        let clock = ManualClock()
        var table = EchoContract.table
        table.handle(EchoContract.echo) { params, _ in
            clock.jump(by: .milliseconds(2))
            return params
        }
        try await TestServer.with(table, executor: .timed(by: clock)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let calls = (1...20).map { request("\($0)", "echo.say", #"{"text":"a"}"#) }
            try await peer.send(calls.flatMap(WirePeer.frame))
            for id in 1...20 { #expect(try await peer.answer().id == "\(id)") }
            let say = try await peer.statistics().methods["echo.say"]
            #expect(say?.sinceStart.calls == 20 && say?.underWay == 0 && say?.sinceStart.latency.count == 20)
        }
    }
}
