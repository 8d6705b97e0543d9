import NIOCore
import RPCTestKit

extension OriginServer.Security {
    /// No security, and a sequence with an element for each piece of data that arrives.
    static func observed() -> (arrivals: AsyncStream<Void>, security: OriginServer.Security) {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        return (arrivals, OriginServer.Security { [Observer(arrival)] })
    }

    private final class Observer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let arrival: AsyncStream<Void>.Continuation

        init(_ arrival: AsyncStream<Void>.Continuation) { self.arrival = arrival }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.fireChannelRead(data)
            arrival.yield()
        }
    }
}
