import RPC
import RPCTestKit
import Testing

struct FrameWriterTests {
    /// Sixteen messages are written at once: the end of the large one must be reported nevertheless.
    @Test(arguments: [14, 15, 16]) func `a large answer after many small ones ends its call`(small: Int) async throws {
        try await withPeer { peer, _ in
            _ = try await peer.answer(to: request("0", "rpc.hello", #"{"protocols":[1],"features":["bytes","parts"]}"#))
            var frames: [UInt8] = []
            for id in 1...small { frames += WirePeer.frame(request("\(id)", "rpc.ping")) }
            frames += WirePeer.frame(request("99", "echo.grow", #"{"bytes":100000}"#))
            try await peer.send(frames)
            try await peer.finishSending()
            // A call that never ended would keep the connection open.
            let rest = await peer.rest()
            #expect(rest.count > 100_000)
        }
    }

    /// The error that ends the call triggers a write while the answer is being stopped: that write must not contain
    /// anything of the stopped answer.
    @Test(arguments: [13, 14, 15, 16])
    func `an answer that is stopped is over, though its error is written at once`(small: Int) async throws {
        try await withPeer(of: ["parts", "credit"]) { peer, _ in
            try await peer.send(grow("1", 300_000))
            #expect(try await peer.frames(4).allSatisfy { $0.kind == .part && $0.number == 1 })
            // `1` is not a request, so it is answered while it is read. It is so short that all messages are read at
            // once.
            try await peer.send(Array(repeating: .message("1"), count: small) + [.stop(1)])
            let frames = try await peer.frames(small + 2)
            #expect(frames.filter { $0.kind != .message } == [.aborted(1, "cancelled")])
            let answers = try frames.filter { $0.kind == .message }.map { try Answer($0.text) }
            #expect(answers.last?.id == "1" && answers.last?.error?.kind == .overloaded)
            try await peer.expectAlive()
        }
    }
}
