import NIOCore

/// Counts what comes before anybody has made sense of it: what the parser skips (blank lines, reasons, chunk extensions) has
/// no limit of its own. Lives on the event loop.
final class WireMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// More came than what was understood of it can account for.
    struct Excess: Error {}

    private(set) var received = 0
    private var allowance = 0

    /// Begins to count for a request.
    func begin(allowance: Int) {
        received = 0
        self.allowance = allowance
    }

    /// Allows for more, for each byte of the body that was understood.
    func allow(_ more: Int) { allowance += more }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        if received > allowance { context.fireErrorCaught(Excess()) }
    }
}
