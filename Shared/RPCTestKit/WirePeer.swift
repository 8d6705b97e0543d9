import NIOCore
import NIOPosix
import RPC

/// A client that knows nothing but bytes, for tests that say exactly what goes over the wire.
public final class WirePeer {
    private let channel: any Channel
    private var received: AsyncStream<ByteBuffer>.Iterator
    private var buffer = ByteBuffer()

    public static func connect(to path: SocketPath) async throws -> WirePeer {
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        let channel = try await ClientBootstrap(group: LoopExecutor.shared.loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ByteCollector(continuation))
                }
            }
            .connect(unixDomainSocketPath: path.description)
            .get()
        return WirePeer(channel, stream.makeAsyncIterator())
    }

    private init(_ channel: any Channel, _ received: AsyncStream<ByteBuffer>.Iterator) {
        self.channel = channel
        self.received = received
    }

    // MARK: Sending

    public func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Sends a message in a plain frame.
    public func send(_ text: String) async throws {
        try await send(Self.frame(text))
    }

    /// Shuts down the sending side.
    public func finishSending() async throws { try await channel.close(mode: .output).get() }

    public func close() async throws { try await channel.close().get() }

    /// Four bytes of length, then the text.
    public static func frame(_ text: String) -> [UInt8] {
        let length = UInt32(text.utf8.count)
        return withUnsafeBytes(of: length.bigEndian, Array.init) + Array(text.utf8)
    }

    // MARK: Receiving

    /// The next message, or nil when the peer has closed.
    public func receive() async throws -> String? {
        guard try await fill(to: 4), let length = buffer.readInteger(as: UInt32.self) else { return nil }
        guard try await fill(to: Int(length)) else { return nil }
        return buffer.readString(length: Int(length))
    }

    /// Sends a message and waits for the next one.
    public func exchange(_ text: String) async throws -> String? {
        try await send(text)
        return try await receive()
    }

    private func fill(to count: Int) async throws -> Bool {
        while buffer.readableBytes < count {
            guard let more = await received.next(isolation: #isolation) else { return false }
            buffer.writeImmutableBuffer(more)
        }
        return true
    }
}

private final class ByteCollector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let bytes: AsyncStream<ByteBuffer>.Continuation

    init(_ bytes: AsyncStream<ByteBuffer>.Continuation) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { bytes.yield(unwrapInboundIn(data)) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { bytes.finish() }
    }

    func channelInactive(context: ChannelHandlerContext) { bytes.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
