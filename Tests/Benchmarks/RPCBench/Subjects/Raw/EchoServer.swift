import NIOCore
import NIOPosix
import RPC

/// The minimum work of swift-nio for requests and replies of these sizes: no parsing, no tasks.
enum EchoServer {
    static func serve(on path: String, executor: LoopExecutor) async throws {
        let channel = try await ServerBootstrap(group: executor.loop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Replier())
                }
            }
            .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true)
            .get()
        try await channel.closeFuture.get()
    }
}

private final class Replier: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var requests = ByteBuffer()

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var data = unwrapInboundIn(data)
        if requests.readableBytes == 0 { requests = data } else { requests.writeBuffer(&data) }
        while let request = requests.readSlice(length: Load.requestBytes) {
            let size = Int(request.getInteger(at: request.readerIndex, as: UInt32.self) ?? 0)
            // A new reply for every call, as in every subject.
            let reply = ByteBuffer(repeating: UInt8(ascii: "v"), count: size)
            context.write(wrapOutboundOut(reply), promise: nil)
        }
        requests.discardReadBytes()
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
}
