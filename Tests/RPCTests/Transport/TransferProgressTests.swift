import RPC
import RPCTestKit
import Testing

/// How long transfers may go without progress: protocol §6, `frame_timeout_ms`.
@Suite(.timeLimit(.minutes(5))) struct TransferProgressTests {
    /// The attachments of a message arrive one after the other: while the first makes progress, the later ones are not
    /// late.
    @Test func `a message whose attachments take long is not stalled while any of them makes progress`() async throws {
        try await withMoreAndMoreTime { time in
            var limits = Limits()
            limits.frameTimeout = .milliseconds(Int64(time))
            return try await withPeer(of: ["bytes"], limits: limits) { peer, _ in
                try await peer.send(bytesRequest("1", [7], attachments: "[1,2,3]", place: 2))
                for number in UInt32(1)...2 {
                    let start = ContinuousClock.now
                    while ContinuousClock.now - start < .milliseconds(time * 3 / 2) {
                        try await peer.send([WireFrame(.chunk, number, [0]), .message(request("2", "rpc.ping"))])
                        // On a very busy machine the transfer really stalls; the caller then repeats this with more
                        // time.
                        guard try await peer.receiveFrame()?.kind == .message else { return false }
                    }
                    try await peer.send(WireFrame(.lastChunk, number))
                }
                try await peer.send(WireFrame(.lastChunk, 3, [7]))
                return try await peer.receiveFrame() == .message(bytesAnswer("1", [7]))
            }
        }
    }
}
