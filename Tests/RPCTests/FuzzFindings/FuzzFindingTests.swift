import NIOCore
import NIOEmbedded
import Testing

@testable import RPC

/// Bugs found by fuzzing, with the bytes that triggered them.
struct FuzzFindingTests {
    @Test func `attachments after the one over the limit are not expected`() throws {
        var limits = Limits()
        limits.openTransfers = 2
        let budget = AssemblyBudget(
            limit: 1_000, processLimit: 1_000, process: LoopExecutor(EmbeddedEventLoop(), threads: nil).assembly)
        var replies: [IncomingTransfers.Reply] = []
        let transfers = IncomingTransfers(limits: limits, budget: budget) { replies.append($0) }
        var outcomes = 0
        let attachments = IncomingAttachments([1, 2, 3, 4], areChecked: true) { _ in outcomes += 1 }
        try transfers.expect(attachments, now: .uptimeNanoseconds(0))
        #expect(replies == [.stop(1), .stop(2), .stop(3), .stop(4)])

        // The last chunk of number 4 had no transfer to append to, which crashed the process.
        var decoder = FrameDecoder(limit: 1_000)
        decoder.features = .bytes
        decoder.append(ByteBuffer(bytes: [3, 0, 0, 5, 0, 0, 0, 4, 0x78]))
        let chunk = try #require(try decoder.next())
        #expect(try transfers.receive(chunk, now: .uptimeNanoseconds(0)) == nil)
        #expect(outcomes == 1)
        #expect(budget.bytes == 0)
    }

    @Test func `a stuck peer receives probes with different ids`() throws {
        let loop = EmbeddedEventLoop()
        let client = try FuzzClient(on: loop, limits: Limits(), features: [])
        try client.connect()
        loop.run()
        let end = try #require(client.end)
        _ = end.kernel.read(.max)
        client.connection?.probe()
        client.connection?.probe()
        loop.run()
        // Both ids were -1: the second probe was refused as under way, and the client treated that as a protocol
        // violation.
        #expect(
            String(buffer: end.kernel.read(.max))
                == "\0\0\0\u{39}" + #"{"jsonrpc":"2.0","id":-1,"method":"rpc.ping","params":{}}"#
                + "\0\0\0\u{39}" + #"{"jsonrpc":"2.0","id":-2,"method":"rpc.ping","params":{}}"#)
        client.stop()
        loop.rest()
    }

    @Test func `after the answer to a bad frame nothing is sent, not even unfinished transfers`() throws {
        let loop = EmbeddedEventLoop()
        let server = try FuzzServer(on: loop, limits: Limits())
        loop.run()
        try server.end.receive(
            Self.frame(
                #"{"jsonrpc":"2.0","id":0,"method":"rpc.hello","params":{"protocols":[1],"features":["parts"]}}"#))
        server.end.kernel.isEager = false
        try server.end.receive(
            Self.frame(#"{"jsonrpc":"2.0","id":1,"method":"fuzz.text","params":{"size":900000,"count":0}}"#))
        loop.run()
        try server.end.receive(ByteBuffer(bytes: [9, 0, 0, 0]))
        loop.run()
        server.end.kernel.isEager = true
        server.end.kernel.take(.max)
        loop.run()
        #expect(server.end.kernel.hasClosedOutput)
        #expect(server.end.kernel.fault == nil)
        let sent = String(buffer: server.end.kernel.read(.max))
        #expect(sent.hasSuffix(#""service":"fuzz"}}}"#), "the refusal comes last")
        server.end.close()
        loop.run()
        server.stop()
        loop.rest()
        try server.checkEnd()
    }

    private static func frame(_ text: String) -> ByteBuffer {
        ByteBuffer(bytes: WildPeer.frame(.message, text.utf8))
    }
}
