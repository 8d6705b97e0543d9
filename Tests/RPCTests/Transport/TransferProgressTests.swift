import RPC
import RPCTestKit
import Testing

/// How long transfers may go without progress: protocol §6, `frame_timeout_ms`.
struct TransferProgressTests {
    /// The attachments of a message arrive one after the other: while the first makes progress, the later ones are not
    /// late.
    @Test func `a message whose attachments take long is not stalled while any of them makes progress`() async throws {
        let clock = ManualClock()
        let pause = Limits().frameTimeout - .seconds(1)
        try await withPeer(of: ["bytes"], executor: .timed(by: clock)) { peer, _ in
            try await peer.send(
                bytesRequest("1", [7], attachments: "[1,2,3]", meta: #"{"timeout_ms":3600000}"#, place: 2))
            for number in UInt32(1)...2 {
                for _ in 1...3 {
                    try await peer.send(WireFrame(.chunk, number, [0]))
                    try await peer.expectAlive()
                    await clock.advance(by: pause)
                }
                try await peer.send(WireFrame(.lastChunk, number))
            }
            try await peer.send(WireFrame(.lastChunk, 3, [7]))
            try await peer.expect(.message(bytesAnswer("1", [7])))
        }
    }
}
