import RPCTestKit
import Testing

@testable import RPC

/// A sender respects the limits that its receiver announced: protocol §4.
struct ReceiverLimitTests {
    /// Sends `rpc.hello` with these limits.
    private func withPeer(
        _ limits: String, executor: LoopExecutor = .still, _ body: (WirePeer) async throws -> Void
    ) async throws {
        try await TestServer.with(EchoContract.table, executor: executor) { server in
            let peer = try await WirePeer.connect(to: server.path)
            let params = #"{"protocols":[1],"features":["bytes","parts","credit"],"limits":\#(limits)}"#
            #expect(try await peer.answer(to: request("0", "rpc.hello", params)).error == nil)
            try await body(peer)
        }
    }

    /// The second answer begins only when the first is sent, which waits for credit.
    @Test(arguments: [#"{"open_transfers":2}"#, #"{"assembled_bytes":400000}"#])
    func `a client's limits delay a second large answer`(limits: String) async throws {
        try await withPeer(limits) { peer in
            try await peer.send(blob("1", 300_000))
            try await peer.send(blob("2", 300_000))
            let first = try await peer.frames(5)
            #expect(first.map(\.kind) == [.message] + [WireFrame.Kind](repeating: .chunk, count: 4))
            try await peer.expectAlive()
            try await peer.send(.credit(1, 300_000))
            let rest = try await peer.frames(2)
            #expect(rest.map(\.kind) == [.lastChunk, .message])
            #expect(rest[0].number == 1)
        }
    }

    @Test func `without limits of the client, both are sent`() async throws {
        try await withPeer("{}") { peer in
            try await peer.send(blob("1", 300_000))
            try await peer.send(blob("2", 300_000))
            let frames = try await peer.frames(10)
            #expect(frames.count { $0.kind == .message } == 2)
        }
    }

    @Test func `a client announces limits that differ from the defaults`() {
        var limits = Limits()
        #expect(Hello.ClientLimits(limits).openTransfers == nil)
        #expect(Hello.ClientLimits(limits).assembledBytes == nil)
        limits.openTransfers = 3
        limits.assembledBytes = 5
        #expect(
            Hello.ClientLimits(limits)
                == Hello.ClientLimits(frameBytes: limits.frameBytes, openTransfers: 3, assembledBytes: 5))
    }

    @Test func `the answer of a batch whose caller grants nothing is aborted at its deadline`() async throws {
        let clock = ManualClock()
        try await withPeer("{}", executor: .timed(by: clock)) { peer in
            try await peer.send("[\(grow("1", 600_000, meta: #"{"timeout_ms":500}"#))]")
            let parts = try await peer.frames(4)
            #expect(parts.allSatisfy { $0.kind == .part })
            await clock.advance(by: .milliseconds(500))
            try await peer.expect(.aborted(try #require(parts[0].number), "deadline_exceeded"))
            try await peer.expectAlive()
        }
    }
}
