import NIOCore
import NIOEmbedded
import RPCTestKit
import Testing

@testable import RPC

/// The bytes that a peer makes a process hold: protocol §4.
struct ReceivedBytesTests {
    private static let limit = 1_000_000

    private static var limits: Limits {
        var limits = Limits()
        limits.assembledBytesPerProcess = limit
        return limits
    }

    /// The beginning of a frame with a message of this size.
    private static func beginning(of size: Int, _ count: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(size).bigEndian, Array.init) + [UInt8](repeating: UInt8(ascii: "a"), count: count)
    }

    @Test(arguments: [0, 1]) func `past the limit the holder of most bytes is ended`(excess: Int) {
        let total = LoopExecutor(EmbeddedEventLoop(), threads: nil).assembly
        let budgets = (0..<3).map { _ in AssemblyBudget(limit: 100, processLimit: 100, process: total) }
        var ended: [Int] = []
        for (number, budget) in budgets.enumerated() {
            budget.end = { _ in
                ended.append(number)
                budget.hold(-budget.held)
            }
        }
        budgets[0].hold(30)
        budgets[1].hold(20)
        #expect(budgets[1].take(21))
        budgets[2].hold(29 + excess)
        #expect(ended == (excess == 0 ? [] : [1]))
        #expect(total.bytes == (excess == 0 ? 100 : 81))
        for budget in budgets { budget.end = { _ in } }
    }

    @Test func `of the connections with incomplete frames the one that holds most is ended`() async throws {
        // A loop of its own, so that other tests do not affect its budget.
        let executor = LoopExecutor.separate()
        try await withPeer(limits: Self.limits, executor: executor) { large, server in
            let small = try await WirePeer.connect(to: server.path)
            let message = request("1", "echo.say", #"{"text":"\#(String(repeating: "s", count: 200_000))"}"#)
            let frame = WirePeer.frame(message)
            try await small.send(Array(frame.dropLast()))
            large.post(Self.beginning(of: 8_000_000, 3_000_000))
            let answer = try await large.answer()
            #expect(answer.id == "null" && answer.error?.kind == .overloaded)
            try await small.send([frame[frame.count - 1]])
            #expect(try await small.answer().id == "1")
            try await small.expectAlive()
        }
        #expect(await executor.assembledBytes() == 0)
    }

    @Test func `a connection that ends frees its incomplete frame`() async throws {
        let executor = LoopExecutor.separate()
        try await withPeer(limits: Self.limits, executor: executor) { other, server in
            for _ in 0..<10 {
                let peer = try await WirePeer.connect(to: server.path)
                try await peer.send(Self.beginning(of: 8_000_000, 300_000))
                try await peer.close()
                try await other.expectAllRead()
            }
            try await other.expectAlive()
        }
        #expect(await executor.assembledBytes() == 0)
    }

    @Test func `a stream whose reader takes nothing ends when its items are too many bytes`() async throws {
        let executor = LoopExecutor.separate()
        try await withWireServer([], limits: Self.limits, executor: executor) { client, peer in
            var options = CallOptions.endless()
            options.window = 100
            try await client.withStream(EchoContract.count, .init(bytes: 100), options) { items in
                let request = try await peer.receive()
                #expect(request?.contains("echo.count") == true)
                let text = String(repeating: "i", count: 100_000)
                for _ in 1...20 {
                    try await peer.send(
                        #"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":1,"item":{"text":"\#(text)"}}}"#)
                }
                #expect(try await peer.receive()?.contains("rpc.cancel") == true)
                var items = items
                let error = await #expect(throws: RPCError.self) { try await items.next() }
                #expect(error?.kind == .overloaded)
            }
            try await expectAlive(client, peer, id: 2)
        }
        #expect(await executor.assembledBytes() == 0)
    }

    @Test func `items that no reader takes any more are freed`() async throws {
        let executor = LoopExecutor.separate()
        try await withWireServer([], limits: Self.limits, executor: executor) { client, peer in
            try await client.withStream(EchoContract.count, .init(bytes: 100)) { items in
                _ = try await peer.receive()
                let text = String(repeating: "i", count: 100_000)
                for _ in 1...5 {
                    try await peer.send(
                        #"{"jsonrpc":"2.0","method":"rpc.item","params":{"id":1,"item":{"text":"\#(text)"}}}"#)
                }
                var items = items
                #expect(try await items.next()?.text == text)
            }
            #expect(try await peer.receive()?.contains("rpc.cancel") == true)
        }
        #expect(await executor.assembledBytes() == 0)
    }

    @Test func `the message that is too large gets the error, not another one`() async throws {
        var limits = Limits()
        limits.assembledBytes = 10_000
        try await withPeer(of: ["bytes"], limits: limits) { peer, _ in
            let bytes = [UInt8](repeating: 7, count: 100)
            try await peer.send([
                .message(bytesRequest("1", bytes)), .message(bytesRequest("2", bytes, attachments: "[2]")),
                WireFrame(.chunk, 2, bytes), WireFrame(.chunk, 1, [UInt8](repeating: 7, count: 10_001)),
                WireFrame(.lastChunk, 2),
            ])
            let frames = try await peer.frames(3)
            let answers = try frames.filter { $0.kind == .message }.map { try Answer($0.text) }
            #expect(frames.filter { $0.kind == .stop }.compactMap(\.number) == [1])
            #expect(answers.first { $0.id == "1" }?.error?.kind == .tooLarge)
            #expect(answers.contains { $0.id == "2" && $0.error == nil })
        }
    }

    @Test func `64 connections over the limit are told so, others are closed without a word`() async throws {
        let clock = ManualClock()
        var limits = Limits()
        limits.connections = 1
        try await withPeer(limits: limits, executor: .timed(by: clock)) { one, server in
            try await one.expectAlive()
            var refused: [WirePeer] = []
            for _ in 0..<Limits.refusedConnections {
                refused.append(try await WirePeer.connect(to: server.path))
                #expect(try await refused.last?.answer().error?.kind == .overloaded)
            }
            #expect(await (try WirePeer.connect(to: server.path)).rest() == [])
            try await refused[0].close()
            try await one.expectAllRead()
            let next = try await WirePeer.connect(to: server.path)
            #expect(try await next.answer().error?.kind == .overloaded)
            try await one.expectAlive()
        }
    }
}
