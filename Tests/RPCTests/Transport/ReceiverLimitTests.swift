import RPCTestKit
import Testing

@testable import RPC

/// A sender respects the limits that its receiver announced: protocol §4.
@Suite(.timeLimit(.minutes(5))) struct ReceiverLimitTests {
    /// Sends `rpc.hello` with these limits.
    private func withPeer(
        _ limits: String, _ body: (WirePeer) async throws -> Void
    ) async throws {
        try await TestServer.with(EchoContract.table) { server in
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
        try await withPeer("{}") { peer in
            try await withMoreAndMoreTime { milliseconds in
                let meta = #"{"timeout_ms":\#(milliseconds)}"#
                try await peer.send("[\(grow("1", 600_000, meta: meta))]")
                var parts: [WireFrame] = []
                var last = try #require(try await peer.receiveFrame())
                while last.kind == .part {
                    parts.append(last)
                    last = try #require(try await peer.receiveFrame())
                }
                // The deadline was over before the initial credit was used.
                guard parts.count == 4 else { return false }
                #expect(last.kind == .aborted)
                #expect(last.number == parts[0].number)
                #expect(String(decoding: last.body, as: UTF8.self) == "deadline_exceeded")
                try await peer.expectAlive()
                return true
            }
        }
    }
}
