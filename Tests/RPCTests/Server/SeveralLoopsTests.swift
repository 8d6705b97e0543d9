import NIOCore
import RPCTestKit
import Synchronization
import Testing

@testable import RPC

/// Servers on several event loops.
struct SeveralLoopsTests {
    /// The loops live as long as the process.
    private static let three = LoopExecutors(count: 3)

    private func withPeers(
        _ count: Int, gate: Gate = Gate(), limits: Limits = Limits(),
        _ body: ([WirePeer], TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(EchoContract.table(gate), limits: limits, executors: Self.three) { server in
            var peers: [WirePeer] = []
            for _ in 0..<count {
                let peer = try await WirePeer.connect(to: server.path)
                try await peer.expectAlive()
                peers.append(peer)
            }
            try await body(peers, server)
        }
    }

    @Test func `each connection is given to the next loop and stays there`() async throws {
        // Separate event loops: those of the suite also get the connections of other tests.
        let executors = LoopExecutors(count: 3)
        let seen = Mutex<[ObjectIdentifier: Int]>([:])
        var table = EchoContract.table
        table.handle(EchoContract.echo) { params, _ in
            for executor in executors.all where executor.loop.inEventLoop {
                seen.withLock { $0[ObjectIdentifier(executor), default: 0] += 1 }
            }
            return params
        }
        try await TestServer.with(table, executors: executors) { server in
            for _ in 1...6 {
                let peer = try await WirePeer.connect(to: server.path)
                for id in 1...5 { _ = try await peer.answer(to: request("\(id)", "echo.say", #"{"text":"a"}"#)) }
            }
        }
        #expect(seen.withLock { $0.values.sorted() } == [10, 10, 10])
    }

    @Test func `statistics are those of all loops`() async throws {
        try await withPeers(3) { peers, _ in
            for peer in peers {
                _ = try await peer.answer(to: request("1", "echo.say", #"{"text":"a"}"#))
                _ = try await peer.answer(to: request("2", "echo.fail", #"{"text":"not_found"}"#))
            }
            for peer in peers {
                let statistics = try await peer.statistics()
                #expect(statistics.process.connections == 3)
                #expect(statistics.methods["echo.say"]?.sinceStart.calls == 3)
                #expect(statistics.methods["echo.say"]?.sinceStart.latency.count == 3)
                #expect(statistics.methods["echo.fail"]?.sinceStart.errors == ["not_found": 3])
            }
        }
    }

    @Test(arguments: [false, true])
    func `a server that stops ends the calls of all loops`(isKilled: Bool) async throws {
        let gate = Gate()
        try await withPeers(3, gate: gate) { peers, server in
            for (number, peer) in peers.enumerated() { try await peer.send(waiting("1", "\(number)")) }
            for _ in peers { _ = await gate.arrival() }
            if isKilled {
                server.kill()
                for _ in peers { _ = await gate.cancellation() }
            } else {
                server.stop()
                for (number, peer) in peers.enumerated() {
                    gate.open("\(number)")
                    #expect(try await peer.answer().result == #"{"text":"\#(number)"}"#)
                }
            }
            await server.ended()
            for peer in peers { try await peer.waitUntilClosed() }
        }
    }

    @Test(arguments: [(1, 100), (2, 50), (3, 34)])
    func `each loop has an equal part of the limits per process`(loops: Int, part: Int) {
        var limits = Limits()
        limits.callsPerProcess = 100
        limits.connections = 100
        limits.queuedBytesPerProcess = 100
        limits.assembledBytesPerProcess = 100
        let parts = limits.part(of: loops)
        #expect(parts.callsPerProcess == part && parts.connections == part)
        #expect(parts.queuedBytesPerProcess == part && parts.assembledBytesPerProcess == part)
        #expect(parts.callsPerConnection == limits.callsPerConnection && parts.frameBytes == limits.frameBytes)
    }
}
