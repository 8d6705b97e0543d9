import RPC
import RPCTestKit
import Testing

/// Invalid transfer numbers, and frames of kinds that were not negotiated: protocol §1 and §4.
struct NumberTests {
    private static let all = ["bytes", "parts", "credit", "zlib"]
    private static let announced = WireFrame.message(bytesRequest("1", [1]))

    @Test(
        arguments: [
            (
                [announced, WireFrame(.lastChunk, 1, [1]), .message(bytesRequest("2", [1]))],
                "number 1 was used before"
            ),
            ([.message(bytesRequest("1", [1], attachments: "[2,2]"))], "number 2 was used before"),
            ([WireFrame(.chunk, 9)], "number 9 was not announced, or has ended"),
            ([WireFrame(.lastChunk, 0)], "number 0 was not announced, or has ended"),
            ([.aborted(9, "why")], "number 9 was not announced, or has ended"),
            ([announced, WireFrame(.part, 1)], "number 1 is an attachment"),
            ([announced, WireFrame(.lastPart, 1)], "number 1 is an attachment"),
            ([WireFrame(.part, 1), WireFrame(.chunk, 1)], "number 1 is a message in parts"),
            ([WireFrame(.part, 0)], "number 0 was used before"),
            ([WireFrame(.part, 1, [0x7B]), .aborted(1, ""), WireFrame(.part, 1)], "number 1 was used before"),
            ([WireFrame(.part, 2_000), WireFrame(.part, 900)], "number 900 was used before"),
            (
                [.message(bytesRequest("1", [], attachments: "[1]")), WireFrame(.lastChunk, 1), WireFrame(.chunk, 1)],
                "number 1 was not announced, or has ended"
            ),
        ] as [([WireFrame], String)])
    func `an invalid number ends the connection`(frames: [WireFrame], message: String) async throws {
        try await withPeer(of: Self.all) { peer, _ in
            for frame in frames { try await peer.send(frame) }
            // Valid messages before it may have been answered.
            var frame = try await peer.receiveFrame()
            while let text = frame?.text, frame?.kind != .message || !text.contains(#""id":null"#) {
                frame = try await peer.receiveFrame()
            }
            let answer = try Answer(try #require(frame).text)
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.message == message)
            #expect(await peer.rest() == [])
        }
    }

    @Test(
        arguments: [
            (WireFrame(kind: .chunk, payload: [0, 0, 0]), "a frame of kind 2 cannot have 3 bytes"),
            (WireFrame(.chunk, 1, [UInt8](repeating: 0, count: 65_537)), "a frame of kind 2 cannot have 65541 bytes"),
            (
                WireFrame(.lastPart, 1, [UInt8](repeating: 0, count: 65_537)),
                "a frame of kind 5 cannot have 65541 bytes"
            ),
            (WireFrame(.credit, 1), "a frame of kind 6 cannot have 4 bytes"),
            (WireFrame(.credit, 1, [0, 0, 0, 1, 0]), "a frame of kind 6 cannot have 9 bytes"),
            (WireFrame(kind: .stop, payload: []), "a frame of kind 8 cannot have 0 bytes"),
            (WireFrame(.stop, 1, [0]), "a frame of kind 8 cannot have 5 bytes"),
            (.aborted(1, String(repeating: "x", count: 257)), "a frame of kind 7 cannot have 261 bytes"),
            (WireFrame(kind: .init(rawValue: 9), payload: []), "kind 9 not negotiated, or a length over 16777215"),
            (WireFrame(kind: .init(rawValue: 255), payload: []), "kind 255 not negotiated, or a length over 16777215"),
        ])
    func `a frame of an unknown kind or an invalid length ends the connection`(frame: WireFrame, message: String)
        async throws
    {
        try await withPeer(of: Self.all) { peer, _ in
            try await peer.send(frame)
            try await peer.expectRejection(message)
        }
    }

    @Test(
        arguments: [
            ([], [1, 2, 3, 4, 5, 6, 7, 8]), (["bytes"], [1, 4, 5, 6]), (["parts"], [1, 2, 3, 6]),
            (["credit"], [1, 2, 3, 4, 5]), (["zlib"], [2, 3, 4, 5, 6, 7, 8]), (["a later one"], [1, 2]),
        ] as [([String], [UInt8])])
    func `a kind that was not negotiated ends the connection`(features: [String], kinds: [UInt8]) async throws {
        for kind in kinds {
            try await withPeer(of: features) { peer, _ in
                try await peer.send(WireFrame(kind: .init(rawValue: kind), payload: [0, 0, 0, 1, 0, 0, 0, 1]))
                try await peer.expectRejection("kind \(kind) not negotiated, or a length over 16777215")
            }
        }
    }

    @Test func `without rpc·hello no feature is negotiated`() async throws {
        for kind in UInt8(1)...8 {
            try await withPeer { peer, _ in
                try await peer.send(WireFrame(kind: .init(rawValue: kind), payload: [0, 0, 0, 1]))
                try await peer.expectRejection("kind \(kind) not negotiated, or a length over 16777215")
            }
        }
    }

    @Test func `a refused or late rpc·hello negotiates nothing`() async throws {
        let hello = { (protocols: String) in
            request("1", "rpc.hello", #"{"protocols":\#(protocols),"features":["bytes","parts"]}"#)
        }
        try await withPeer { peer, _ in
            #expect(try await peer.answer(to: hello("[9]")).error?.kind == .invalidRequest)
            try await peer.send(WireFrame(.part, 1))
            try await peer.expectRejection("kind 4 not negotiated, or a length over 16777215")
        }
        try await withPeer { peer, _ in
            try await peer.expectAlive()
            #expect(try await peer.answer(to: hello("[1]")).error?.kind == .invalidRequest)
            try await peer.send(WireFrame(.part, 1))
            try await peer.expectRejection("kind 4 not negotiated, or a length over 16777215")
        }
    }

    @Test func `a server announces the common features, in its own order`() async throws {
        for (asked, agreed) in [
            (["zlib", "later", "credit", "parts", "bytes"], #"["bytes","parts","credit","zlib"]"#),
            (["parts"], #"["parts"]"#), ([], "[]"),
        ] {
            try await TestServer.with(EchoContract.table) { server in
                let answer = try await WirePeer.connect(to: server.path).greet(asked)
                #expect(answer?.contains(#""features":\#(agreed)"#) == true)
            }
        }
    }

    @Test(arguments: ["[0]", "[-1]", "[4294967296]", "[1.5]", #"["1"]"#, "{}", "1", "\((1...64).map { $0 })"])
    func `an invalid announcement is an invalid request, and the connection lives`(
        numbers: String
    ) async throws {
        try await withPeer(of: Self.all) { peer, _ in
            let answer = try await peer.answer(to: bytesRequest("1", [1], attachments: numbers))
            #expect(answer.id == "1")
            #expect(answer.error?.kind == .invalidRequest)
            #expect(answer.error?.message.hasPrefix("attachments") == true)
            try await peer.expectAlive()
        }
    }

    @Test func `stops and grants of ended or unknown numbers are ignored`() async throws {
        try await withPeer(of: Self.all) { peer, _ in
            try await peer.send([.stop(1), .credit(1, 5), .stop(0), .credit(4_000_000_000, .max)])
            try await peer.expectAlive()
        }
    }
}
