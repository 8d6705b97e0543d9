import NIOCore
import NIOEmbedded
import Testing

@testable import gateway

@Suite struct ConnectionLimitTests {
    @Test(arguments: [0, 1, 2]) func `a connection is accepted while fewer than the limit are open`(open: Int) throws {
        let (listener, reads) = try makeListener(limit: 2)
        for _ in 0..<open { _ = try accept(on: listener) }
        listener.read()
        #expect(reads.count == (open < 2 ? 1 : 0))
    }

    @Test(arguments: [true, false]) func `one that closes makes room for the next, unless the listener has stopped`(
        isStopped: Bool
    ) throws {
        let (listener, reads) = try makeListener(limit: 1)
        let open = try accept(on: listener)
        listener.read()
        if isStopped { try listener.triggerUserOutboundEvent(ConnectionLimit.Stop()).wait() }
        try open.close().wait()
        listener.embeddedEventLoop.run()
        #expect(reads.count == (isStopped ? 0 : 1))
        listener.read()
        #expect(reads.count == (isStopped ? 0 : 2))
    }

    private func makeListener(limit: Int) throws -> (EmbeddedChannel, CountedReads) {
        let (listener, reads) = (EmbeddedChannel(), CountedReads())
        try listener.pipeline.syncOperations.addHandlers([reads, ConnectionLimit(limit)])
        return (listener, reads)
    }

    private func accept(on listener: EmbeddedChannel) throws -> EmbeddedChannel {
        let connection = EmbeddedChannel(loop: listener.embeddedEventLoop)
        try connection.connect(to: SocketAddress(unixDomainSocketPath: "/client")).wait()
        try listener.writeInbound(connection as any Channel)
        return connection
    }
}

/// Counts the connections that were asked for.
private final class CountedReads: ChannelOutboundHandler {
    typealias OutboundIn = Never

    private(set) var count = 0

    func read(context: ChannelHandlerContext) { count += 1 }
}
