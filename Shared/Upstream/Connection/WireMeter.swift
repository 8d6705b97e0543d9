import NIOCore

/// Limits the received bytes before they are parsed, because the parser skips some without a limit (blank lines, reason
/// phrases, chunk extensions). Runs on the event loop.
final class WireMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// More bytes were received than the parsed parts allow.
    struct Excess: Error {}

    private(set) var received = 0
    private var allowance = 0

    /// Starts counting for a request.
    /// - Parameter allowance: the bytes allowed before the first byte of the body.
    func begin(allowance: Int) {
        received = 0
        self.allowance = allowance
    }

    /// Raises the allowance, after a piece of the body was parsed.
    func allow(_ more: Int) { allowance += more }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        if received > allowance { context.fireErrorCaught(Excess()) }
    }
}
