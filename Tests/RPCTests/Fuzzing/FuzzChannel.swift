import NIOCore
import NIOEmbedded

/// One end of a connection without a socket: a channel on a kernel that the script controls.
final class FuzzChannel {
    let channel: EmbeddedChannel
    let kernel = FuzzKernel()

    init(on loop: EmbeddedEventLoop) throws {
        channel = EmbeddedChannel(loop: loop)
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/fuzz"), promise: nil)
        try channel.pipeline.syncOperations.addHandler(kernel)
    }

    func receive(_ bytes: ByteBuffer) throws {
        if channel.isActive, bytes.readableBytes > 0 { try channel.writeInbound(bytes) }
    }

    /// The peer has shut down its sending side.
    func receiveEnd() {
        if channel.isActive { channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }

    /// The peer has closed the connection.
    func close() { channel.close(promise: nil) }
}
