import RPC
import RPCTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct OutboxTests {
    /// Sixteen messages are written at once: the one that is large must be heard of all the same when it is out.
    @Test(arguments: [14, 15, 16]) func `a large answer after many small ones ends its call`(small: Int) async throws {
        try await withPeer { peer, _ in
            _ = try await peer.answer(to: request("0", "rpc.hello", #"{"protocols":[1],"features":["bytes","parts"]}"#))
            var frames: [UInt8] = []
            for id in 1...small { frames += WirePeer.frame(request("\(id)", "rpc.ping")) }
            frames += WirePeer.frame(request("99", "echo.grow", #"{"bytes":100000}"#))
            try await peer.send(frames)
            try await peer.finishSending()
            // A call that never ended would keep the connection.
            let rest = await peer.rest()
            #expect(rest.count > 100_000)
        }
    }
}
