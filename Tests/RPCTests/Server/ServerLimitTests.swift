import RPC
import RPCTestKit
import Testing

struct ServerLimitTests {
    private static func expectOverloaded(
        _ answer: Answer, id: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.id == id, sourceLocation: sourceLocation)
        #expect(answer.error?.kind == .overloaded, sourceLocation: sourceLocation)
        #expect(answer.error?.begun == false, sourceLocation: sourceLocation)
        #expect((answer.error?.retryAfter ?? 0) > 0, sourceLocation: sourceLocation)
    }

    @Test func `the calls under way on a connection are limited, including notifications`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.callsPerConnection = 2
        try await withPeer(gate: gate, limits: limits) { peer, server in
            try await peer.send(waiting("1", "a"))
            try await peer.send(#"{"jsonrpc":"2.0","method":"echo.wait","params":{"text":"b"}}"#)
            _ = (await gate.arrival(), await gate.arrival())
            Self.expectOverloaded(try await peer.answer(to: request("3", "rpc.ping")), id: "3")
            try await WirePeer.connect(to: server.path).expectAlive()
            gate.open("a")
            #expect(try await peer.answer().id == "1")
            try await peer.expectAlive()
        }
    }

    @Test func `a handler that continues after its deadline still counts`() async throws {
        let (stubborn, clock) = (Gate(), ManualClock())
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        var limits = Limits()
        limits.callsPerProcess = 1
        var table = EchoContract.table
        table.handle(EchoContract.wait) { params, _ in
            // Ignores its cancellation.
            await Task { try? await stubborn.pass(params.text) }.value
            end.finish()
            return params
        }
        try await TestServer.with(table, limits: limits, executor: .timed(by: clock)) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "a", meta: #"{"timeout_ms":1}"#))
            #expect(await stubborn.arrival() == "a")
            await clock.advance(by: .milliseconds(1))
            #expect(try await peer.receive()?.contains("deadline_exceeded") == true)
            #expect(try await peer.exchange(request("2", "rpc.ping"))?.contains("overloaded") == true)
            stubborn.open("a")
            for await _ in ends {}
            try await peer.expectAlive()
        }
    }

    @Test func `the calls under way in a process are limited; those of closed connections do not count`() async throws {
        let gate = Gate()
        var limits = Limits()
        limits.callsPerProcess = 2
        try await withPeer(gate: gate, limits: limits) { peer, server in
            let other = try await WirePeer.connect(to: server.path)
            try await peer.send(waiting("1", "a"))
            try await other.send(waiting("1", "b"))
            _ = (await gate.arrival(), await gate.arrival())
            Self.expectOverloaded(try await peer.answer(to: request("2", "rpc.ping")), id: "2")
            Self.expectOverloaded(try await other.answer(to: request("2", "rpc.ping")), id: "2")
            try await other.close()
            #expect(await gate.cancellation() == "b")
            try await peer.expectAlive()
            gate.open("a")
            #expect(try await peer.answer().id == "1")
        }
    }

    @Test func `the connections of a process are limited; one more gets an error and is closed`() async throws {
        var limits = Limits()
        limits.connections = 2
        try await withPeer(limits: limits) { one, server in
            let two = try await WirePeer.connect(to: server.path)
            try await one.expectAlive()
            try await two.expectAlive()
            for _ in 0..<3 {
                let three = try await WirePeer.connect(to: server.path)
                Self.expectOverloaded(try await three.answer(), id: "null")
                #expect(await three.rest() == [])
            }
            try await two.finishSending()
            try await two.waitUntilClosed()
            try await WirePeer.connect(to: server.path).expectAlive()
            try await one.expectAlive()
        }
    }

    @Test func `a refused peer gets the error even if the discard time is short`() async throws {
        var limits = Limits()
        limits.connections = 1
        limits.discardTime = .zero
        try await withPeer(limits: limits) { one, server in
            try await one.expectAlive()
            for _ in 0..<20 {
                let two = try await WirePeer.connect(to: server.path)
                Self.expectOverloaded(try await two.answer(), id: "null")
            }
        }
    }

    /// However a connection ends, its capacity is free again.
    @Test func `connections that have ended do not count`() async throws {
        let clock = ManualClock()
        var limits = Limits()
        limits.connections = 2
        try await withPeer(limits: limits, executor: .timed(by: clock)) { other, server in
            try await other.expectAlive()
            for round in 0..<12 {
                let peer = try await WirePeer.connect(to: server.path)
                if round % 2 == 0 { try await peer.expectAlive() }
                switch round % 6 {
                case 0, 1: try await peer.close()
                case 2, 3: try await peer.finishSending()
                default:
                    #expect(try await peer.answer(to: [9, 9, 9, 9]).error?.kind == .invalidRequest)
                    await clock.advance(by: limits.discardTime)
                }
                try await peer.waitUntilClosed()
                try await other.expectAllRead()
                #expect(try await other.statistics().process.connections == 1)
            }
            try await WirePeer.connect(to: server.path).expectAlive()
        }
    }

    // MARK: Peers that do not read

    @Test func `a peer that keeps sending without reading is refused, then disconnected; others are unaffected`()
        async throws
    {
        var limits = Limits()
        limits.queuedBytes = 100_000
        limits.callsPerConnection = 10
        let gate = Gate()
        try await withPeer(gate: gate, limits: limits) { deaf, server in
            try await deaf.setReading(false)
            // Waits at the gate throughout, so that the end of the connection becomes visible.
            try await deaf.send(waiting("0", "until closed"))
            #expect(await gate.arrival() == "until closed")
            let grow = WirePeer.frame(request("1", "echo.grow", #"{"bytes":50000}"#))
            for _ in 0..<12 {
                deaf.post(grow)
                try await WirePeer.connect(to: server.path).expectAlive()
            }
            // The unread answers now exceed what the kernel buffers, so no further call begins.
            deaf.post(WirePeer.frame(waiting("2", "never begun")))
            try await WirePeer.connect(to: server.path).expectAlive()
            // Refusals are answers too, and finally exceed the limit.
            let refused = WirePeer.frame(request("3", "rpc.ping"))
            for _ in 0..<20 { deaf.post(Array(repeatElement(refused, count: 50).joined())) }
            #expect(await gate.cancellation() == "until closed")
            try await WirePeer.connect(to: server.path).expectAlive()

            // Bytes that the kernel had accepted can be read: the answers, then the refusals.
            try? await deaf.setReading(true)
            _ = await deaf.rest()
        }
    }

    @Test func `a peer that reads late gets every answer: calls above the limit wait for it`() async throws {
        var limits = Limits()
        limits.queuedBytes = 100_000
        try await withPeer(limits: limits) { slow, server in
            let other = try await WirePeer.connect(to: server.path)
            try await slow.setReading(false)
            for id in 1...30 {
                try await slow.send(request("\(id)", "echo.grow", #"{"bytes":50000}"#))
                try await other.expectAlive()
            }
            let queued = try await other.statistics().process.queuedBytes
            #expect((100_000..<200_000).contains(queued))
            try await slow.setReading(true)
            for id in 1...30 {
                let answer = try await slow.answer()
                #expect(answer.id == "\(id)" && answer.error == nil)
            }
            try await slow.expectAlive()
        }
    }

    @Test func `many callers of large answers on one connection are all answered`() async throws {
        var limits = Limits()
        limits.queuedBytes = 1_000_000
        try await withClient(limits: limits, executor: .timed(by: ManualClock())) { client, _ in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await client.call(EchoContract.grow, .init(bytes: 65_000)).text.utf8.count
                    }
                }
                for try await count in group { #expect(count == 65_000) }
            }
        }
    }

    @Test func `calls that wait for capacity time out, and so make way for others`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        var limits = Limits()
        limits.queuedBytes = 100_000
        limits.callsPerProcess = 3
        try await withPeer(gate: gate, limits: limits, executor: .timed(by: clock)) { slow, server in
            let other = try await WirePeer.connect(to: server.path)
            try await slow.setReading(false)
            try await slow.send(request("1", "echo.grow", #"{"bytes":1000000}"#))
            try await other.expectAllRead()
            #expect(try await other.statistics().process.queuedBytes > limits.queuedBytes)
            for id in 2...3 {
                try await slow.send(
                    #"{"jsonrpc":"2.0","id":\#(id),"method":"rpc.ping","meta":{"timeout_ms":1}}"#)
            }
            // Asked one at a time, so the three calls of the process suffice.
            try await other.expectAllRead()
            await clock.advance(by: .milliseconds(1))
            #expect(try await other.statistics().methods["rpc.ping"]?.sinceStart.errors["deadline_exceeded"] == 2)
            for id in 1...3 { try await other.send(waiting("\(id)", "\(id)")) }
            for _ in 1...3 { _ = await gate.arrival() }

            try await slow.setReading(true)
            #expect(try await slow.answer().id == "1")
            var ended: Set<String> = []
            for _ in 2...3 {
                let answer = try await slow.answer()
                #expect(answer.error?.kind == .deadlineExceeded && answer.error?.begun == false)
                ended.insert(answer.id)
            }
            #expect(ended == ["2", "3"])
        }
    }

    // MARK: The budget of the process

    /// Holds an answer of this size as a member of a batch that is incomplete until the gate is opened.
    private static func holding(_ bytes: Int, _ name: String) -> String {
        "[\(growMessage("1", to: bytes - 1)),\(waiting("2", name))]"
    }

    @Test(arguments: [0, 1])
    func `at the process's limit for unread answers no further handler starts`(
        excess: Int
    ) async throws {
        let gate = Gate()
        let executor = LoopExecutor.separate()
        var limits = Limits()
        limits.queuedBytesPerProcess = 200_000 + excess
        try await TestServer.with(EchoContract.table(gate), limits: limits, executor: executor) { server in
            let (one, two) = (try await WirePeer.connect(to: server.path), try await WirePeer.connect(to: server.path))
            try await one.send(Self.holding(100_000, "one"))
            #expect(await gate.arrival() == "one")
            try await two.send(Self.holding(100_000, "two"))
            #expect(await gate.arrival() == "two")
            try await two.send(waiting("3", "three"))
            if excess == 0 {
                // A connection that holds few bytes is not blocked.
                try await WirePeer.connect(to: server.path).send(waiting("1", "other"))
                #expect(await gate.arrival() == "other")
                gate.open("one")
            }
            #expect(await gate.arrival() == "three")
        }
    }

    @Test(arguments: [true, false])
    func `a peer that reads nothing is soon disconnected, but only while the process is at its limit`(
        isAtLimit: Bool
    ) async throws {
        let (gate, clock) = (Gate(), ManualClock())
        var limits = Limits()
        limits.queuedBytesPerProcess = isAtLimit ? 1_000_000 : 100_000_000
        try await withPeer(of: [], gate: gate, limits: limits, executor: .timed(by: clock)) { deaf, server in
            try await deaf.setReading(false)
            try await deaf.send(waiting("0", "until closed"))
            #expect(await gate.arrival() == "until closed")
            try await deaf.send(grow("1", 2_000_000))
            let other = try await WirePeer.connect(to: server.path)
            try await other.expectAllRead()
            await clock.advance(by: limits.deafTime)
            if isAtLimit {
                #expect(await gate.cancellation() == "until closed")
                #expect(try await other.statistics().process.queuedBytes == 0)
            } else {
                #expect(try await other.statistics().process.connections == 2)
                try await deaf.setReading(true)
                #expect(try await deaf.answer().id == "1")
            }
        }
    }

    @Test func `a write that makes no progress for too long closes the connection`() async throws {
        let (gate, clock) = (Gate(), ManualClock())
        let limit = Limits().writeTimeout
        try await withPeer(gate: gate, executor: .timed(by: clock)) { deaf, server in
            let other = try await WirePeer.connect(to: server.path)
            try await deaf.setReading(false)
            try await deaf.send(waiting("0", "until closed", meta: #"{"timeout_ms":600000}"#))
            #expect(await gate.arrival() == "until closed")
            try await deaf.send(request("1", "echo.grow", #"{"bytes":600000}"#))
            try await other.expectAllRead()
            await clock.advance(by: limit - .milliseconds(1))
            try await other.expectAlive()
            #expect(try await other.statistics().process.connections == 2)
            await clock.advance(by: .milliseconds(1))
            #expect(await gate.cancellation() == "until closed")
            try await other.expectAlive()
        }
    }
}
