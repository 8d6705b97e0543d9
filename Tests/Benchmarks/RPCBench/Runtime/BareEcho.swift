import NIOCore
import NIOPosix
import RPC

/// The least that swift-nio can do with a request and a reply of these sizes: no parsing, no tasks.
enum BareEcho {
    static func serve(on path: String) async throws {
        let reply = ByteBuffer(repeating: 0x20, count: BenchContract.replyBytes)
        let channel = try await ServerBootstrap(group: LoopExecutor.shared.loop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Replier(reply: reply))
                }
            }
            .bind(unixDomainSocketPath: path, cleanupExistingSocketFile: true)
            .get()
        try await channel.closeFuture.get()
    }

    /// Sends requests one after the other, `underWay` at a time, until the time is over.
    static func measure(path: String, underWay: Int, seconds: Double) async throws -> Latencies {
        let loop = LoopExecutor.shared.loop
        let done = loop.makePromise(of: Latencies.self)
        let channel = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Requester(underWay: underWay, until: .now() + .nanoseconds(Int64(seconds * 1e9)), done: done))
                }
            }
            .connect(unixDomainSocketPath: path)
            .get()
        let latencies = try await done.futureResult.get()
        try await channel.close()
        return latencies
    }
}

private final class Replier: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let reply: ByteBuffer
    private var received = 0

    init(reply: ByteBuffer) { self.reply = reply }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        while received >= BenchContract.requestBytes {
            received -= BenchContract.requestBytes
            context.write(wrapOutboundOut(reply), promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }
}

private final class Requester: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let request = ByteBuffer(repeating: 0x20, count: BenchContract.requestBytes)
    private let underWay: Int
    private let until: NIODeadline
    private let done: EventLoopPromise<Latencies>
    private var latencies = Latencies()
    private var sent = CircularBuffer<NIODeadline>()
    private var received = 0

    init(underWay: Int, until: NIODeadline, done: EventLoopPromise<Latencies>) {
        self.underWay = underWay
        self.until = until
        self.done = done
    }

    func channelActive(context: ChannelHandlerContext) {
        for _ in 0..<underWay { send(context) }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytes
        let now = NIODeadline.now()
        while received >= BenchContract.replyBytes, let start = sent.popFirst() {
            received -= BenchContract.replyBytes
            latencies.add(now - start)
            if now < until { send(context) }
        }
        if sent.isEmpty { done.succeed(latencies) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    private func send(_ context: ChannelHandlerContext) {
        sent.append(.now())
        context.write(wrapOutboundOut(request), promise: nil)
    }
}
