import NIOCore

/// Drops what a client sends after its last request. It is the handler before the parser, which would keep the bytes behind an
/// `Upgrade` as long as the answer takes.
final class InputGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Set to false by the `ConnectionGuard`.
    var isOpen = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOpen { context.fireChannelRead(data) }
    }
}
