import NIOCore
import NIOEmbedded
import RPCTestKit
import Testing

@testable import RPC

/// Limits of open transfers and assembled bytes: protocol §4.
struct TransferLimitTests {
    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    /// The received frames, whatever their order: the stopped numbers, and the answers.
    private static func read(_ count: Int, _ peer: WirePeer) async throws -> (stopped: [UInt32], answers: [Answer]) {
        let frames = try await peer.frames(count)
        return (
            frames.filter { $0.kind == .stop }.compactMap(\.number),
            try frames.filter { $0.kind == .message }.map { try Answer($0.text) }
        )
    }

    private static func expectOverloaded(_ answer: Answer?, id: String) {
        #expect(answer?.id == id)
        #expect(answer?.error?.kind == .overloaded)
        #expect(answer?.error?.begun == false)
        #expect((answer?.error?.retryAfter ?? 0) > 0)
    }

    @Test func `the open transfers are limited; one more is stopped and its call overloaded`() async throws {
        var limits = Limits()
        limits.openTransfers = 3
        try await withPeer(of: ["bytes", "parts"], limits: limits) { peer, _ in
            try await peer.send([.message(bytesRequest("1", Self.bytes(1), attachments: "[1,2]")), WireFrame(.part, 3)])
            try await peer.expectAlive()
            try await peer.send(bytesRequest("2", [1], attachments: "[4]"))
            let refused = try await Self.read(2, peer)
            #expect(refused.stopped == [4])
            Self.expectOverloaded(refused.answers.first, id: "2")
            // A message in parts, whose call is unknown.
            try await peer.send(WireFrame(.part, 5))
            let more = try await Self.read(2, peer)
            #expect(more.stopped == [5])
            Self.expectOverloaded(more.answers.first, id: "null")
            // Open transfers are unaffected, and further chunks of stopped ones are discarded.
            try await peer.send([
                WireFrame(.lastChunk, 4, [1]), WireFrame(.part, 5, [1]), WireFrame(.lastPart, 5),
                WireFrame(.lastChunk, 2),
                WireFrame(.lastChunk, 1, Self.bytes(1)),
            ])
            try await peer.expect(.message(bytesAnswer("1", Self.bytes(1))))
            try await peer.send(bytesRequest("2", [1], attachments: "[6]"))
            try await peer.send(WireFrame(.lastChunk, 6, [1]))
            try await peer.expect(.message(bytesAnswer("2", [1])))
        }
    }

    @Test func `a message whose attachments exceed the limit is refused with all of them`() async throws {
        var limits = Limits()
        limits.openTransfers = 2
        try await withPeer(of: ["bytes"], limits: limits) { peer, _ in
            try await peer.send(bytesRequest("1", [1], attachments: "[1,2,3,4,5]"))
            let refused = try await Self.read(6, peer)
            #expect(refused.stopped.sorted() == [1, 2, 3, 4, 5])
            Self.expectOverloaded(refused.answers.first, id: "1")
            for number in UInt32(1)...5 {
                try await peer.send([WireFrame(.chunk, number), WireFrame(.lastChunk, number, [1])])
            }
            try await peer.expectAlive()
        }
    }

    @Test func `64 numbers are open by default`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            try await peer.send(bytesRequest("1", [1], attachments: "\((1...63).map { $0 })"))
            try await peer.send(bytesRequest("2", [1], attachments: "[64]"))
            try await peer.expectAlive()
            try await peer.send(bytesRequest("3", [1], attachments: "[65,66]"))
            let refused = try await Self.read(3, peer)
            #expect(refused.stopped.sorted() == [65, 66])
            Self.expectOverloaded(refused.answers.first, id: "3")
            try await peer.send(WireFrame(.lastChunk, 64, [1]))
            try await peer.expect(.message(bytesAnswer("2", [1])))
        }
    }

    @Test func `too many stopped transfers that never end close the connection`() async throws {
        try await withPeer(of: ["bytes"]) { peer, _ in
            let refused = { (number: UInt32) in #"{"jsonrpc":"2.0","method":"no.such","attachments":[\#(number)]}"# }
            for number in UInt32(1)...1_024 { try await peer.send(refused(number)) }
            _ = try await peer.frames(1_024)
            try await peer.expectAlive()
            try await peer.send(refused(1_025))
            try await peer.expectRejection("too many stopped attachments and parts have not ended")
        }
    }

    // MARK: Bytes

    private static let small: Limits = {
        var limits = Limits()
        limits.assembledBytes = 10_000
        return limits
    }()

    @Test func `a connection assembles bytes up to its limit`() async throws {
        try await withPeer(of: ["bytes"], limits: Self.small) { peer, _ in
            try await peer.send(
                [.message(bytesRequest("1", Self.bytes(10_000)))] + WireFrame.attachment(1, Self.bytes(10_000)))
            try await peer.expect(.message(bytesAnswer("1", Self.bytes(10_000))))
            // A single message over the limit would not fit later either.
            for (id, numbers, chunks) in [
                ("2", "[2]", [WireFrame(.chunk, 2, Self.bytes(10_000)), WireFrame(.lastChunk, 2, [7])]),
                (
                    "3", "[3,4]",
                    [WireFrame(.lastChunk, 3, Self.bytes(9_000)), WireFrame(.lastChunk, 4, Self.bytes(1_001))]
                ),
            ] {
                try await peer.send([.message(bytesRequest(id, [1], attachments: numbers))] + chunks)
                let refused = try await Self.read(2, peer)
                #expect(refused.stopped.count == 1)
                #expect(refused.answers.first?.id == id)
                #expect(refused.answers.first?.error?.kind == .tooLarge)
                #expect(refused.answers.first?.error?.begun == false)
            }
            // All of the budget is free again.
            try await peer.send(
                [.message(bytesRequest("4", Self.bytes(10_000), attachments: "[5]"))]
                    + WireFrame.attachment(5, Self.bytes(10_000)))
            try await peer.expect(.message(bytesAnswer("4", Self.bytes(10_000))))
        }
    }

    @Test func `the newest transfer fails when the budget is exceeded`() async throws {
        try await withPeer(of: ["bytes", "parts"], limits: Self.small) { peer, _ in
            try await peer.send([
                .message(bytesRequest("1", Self.bytes(6_000))), WireFrame(.chunk, 1, Self.bytes(5_000)),
                .message(bytesRequest("2", Self.bytes(6_000), attachments: "[2]")),
                WireFrame(.chunk, 2, Self.bytes(5_000)),
                WireFrame(.lastChunk, 1, Self.bytes(1_000)),
            ])
            let refused = try await Self.read(3, peer)
            #expect(refused.stopped == [2])
            Self.expectOverloaded(refused.answers.first { $0.id == "2" }, id: "2")
            #expect(refused.answers.first { $0.id == "1" }?.text == bytesAnswer("1", Self.bytes(6_000)))
            try await peer.send([.aborted(2, "cancelled"), WireFrame(.part, 3, Self.bytes(9_000))])
            try await peer.send([
                .message(bytesRequest("4", [1], attachments: "[4]")), WireFrame(.chunk, 4, Self.bytes(1_001)),
            ])
            let more = try await Self.read(2, peer)
            #expect(more.stopped == [4])
            Self.expectOverloaded(more.answers.first, id: "4")
        }
    }

    @Test func `the bytes of a running handler's request count until it ends`() async throws {
        let gate = Gate()
        var table = EchoContract.table(gate)
        table.handle(EchoContract.bytes) { params, _ in
            try await gate.pass("\(params.data.data.count)")
            return params
        }
        try await TestServer.with(table, limits: Self.small) { server in
            let peer = try await WirePeer.connect(to: server.path)
            try await peer.greet(["bytes"])
            try await peer.send(
                [.message(bytesRequest("1", Self.bytes(8_000)))] + WireFrame.attachment(1, Self.bytes(8_000)))
            #expect(await gate.arrival() == "8000")
            try await peer.send(
                [.message(bytesRequest("2", Self.bytes(3_000), attachments: "[2]"))]
                    + WireFrame.attachment(2, Self.bytes(3_000)))
            let refused = try await Self.read(2, peer)
            Self.expectOverloaded(refused.answers.first, id: "2")
            gate.open("8000")
            gate.open("3000")
            try await peer.expect(.message(bytesAnswer("1", Self.bytes(8_000))))
            try await peer.send(
                [.message(bytesRequest("2", Self.bytes(3_000), attachments: "[3]"))]
                    + WireFrame.attachment(3, Self.bytes(3_000)))
            try await peer.expect(.message(bytesAnswer("2", Self.bytes(3_000))))
        }
    }

    @Test func `a process limits the assembled bytes of all its connections`() async throws {
        var limits = Limits()
        limits.assembledBytesPerProcess = 10_000
        // A loop of its own, so that other tests do not affect its budget.
        let executor = LoopExecutor.separate()
        try await withPeer(of: ["bytes"], limits: limits, executor: executor) { peer, server in
            let other = try await WirePeer.connect(to: server.path)
            try await other.greet(["bytes"])
            try await peer.send(bytesRequest("1", Self.bytes(9_000)))
            // Read one by one: the buffer of an incomplete frame counts, too, unless it is small.
            for count in [Int](repeating: 1_000, count: 8) + [999] {
                try await peer.send(WireFrame(.chunk, 1, Self.bytes(count)))
                try await peer.expectAlive()
            }
            try await other.send([.message(bytesRequest("2", [1])), WireFrame(.lastChunk, 1, Self.bytes(1_002))])
            let refused = try await Self.read(2, other)
            #expect(refused.stopped == [1])
            Self.expectOverloaded(refused.answers.first, id: "2")
            try await other.send(
                [.message(bytesRequest("3", Self.bytes(1_000), attachments: "[2]"))]
                    + WireFrame.attachment(2, Self.bytes(1_000)))
            try await other.expect(.message(bytesAnswer("3", Self.bytes(1_000))))
            try await peer.send(WireFrame(.lastChunk, 1, [7]))
            try await peer.expect(.message(bytesAnswer("1", Self.bytes(9_000))))
        }
        #expect(await executor.assembledBytes() == 0)
    }

    @Test func `a message in one part over a limit leaves nothing behind`() throws {
        var limits = Limits()
        limits.openTransfers = 0
        let total = LoopExecutor(EmbeddedEventLoop(), threads: nil).assembly
        let budget = AssemblyBudget(limit: 1_000, processLimit: 1_000, process: total)
        let transfers = IncomingTransfers(limits: limits, budget: budget) { _ in }
        for number in 1...UInt32(IncomingTransfers.stoppedLimit + 10) {
            var payload = ByteBuffer(integer: number)
            payload.writeString("{}")
            let frame = Frame(kind: .lastPart, payload: payload)
            #expect(try transfers.receive(frame, now: .uptimeNanoseconds(0)) == nil)
        }
        #expect(transfers.refusals.count == IncomingTransfers.stoppedLimit + 10 && budget.bytes == 0)
    }
}
