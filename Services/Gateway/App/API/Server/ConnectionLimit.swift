import NIOCore

/// Accepts no further connection while the maximum number is open, and none after `Stop`. Further clients wait in the backlog.
final class ConnectionLimit: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    /// Sent down the pipeline: accept no further connection.
    struct Stop: Sendable {}

    private let most: Int
    private var open = 0

    /// Whether a read waits for a connection to close.
    private var isWaiting = false
    private var isStopped = false

    init(_ most: Int) { self.most = most }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).assumeIsolated().whenComplete { _ in
            self.open -= 1
            guard self.isWaiting else { return }
            self.isWaiting = false
            context.read()
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard !isStopped else { return }
        if open < most { context.read() } else { isWaiting = true }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Stop else { return context.triggerUserOutboundEvent(event, promise: promise) }
        (isStopped, isWaiting) = (true, false)
        // Ends the read under way, too.
        context.channel.setOption(.autoRead, value: false).cascade(to: promise)
    }
}
