import NIOCore
import NIOPosix
import RPC

/// One end of a connection that exchanges raw bytes, for tests that control exactly what goes over the wire.
public final class WirePeer: Sendable {
    private let channel: any Channel
    private let received: Received

    public static func connect(to path: SocketPath) async throws -> WirePeer {
        try await ClientBootstrap(group: LoopExecutor.shared.loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(unixDomainSocketPath: path.description, channelInitializer: begin)
    }

    /// Connects over TCP.
    public static func connect(
        host: String = "127.0.0.1", port: Int, executor: LoopExecutor = .shared
    ) async throws -> WirePeer {
        try await ClientBootstrap(group: executor.loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: host, port: port, channelInitializer: begin)
    }

    /// Must run before the channel is connected. Otherwise the first bytes could be lost.
    @Sendable private static func begin(_ channel: any Channel) -> EventLoopFuture<WirePeer> {
        channel.eventLoop.makeCompletedFuture { try WirePeer(on: channel) }
    }

    /// Must be called on the channel's event loop.
    init(on channel: any Channel) throws {
        let (stream, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        self.channel = channel
        received = Received(stream)
        try channel.pipeline.syncOperations.addHandler(ByteCollector(continuation))
    }

    // MARK: Sending

    public func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Sends a message in a plain frame.
    public func send(_ text: String) async throws {
        try await send(Self.frame(text))
    }

    /// Sends without waiting for the result.
    public func post(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Shuts down the sending side.
    public func finishSending() async throws { try await close(.output) }

    public func close() async throws { try await close(.all) }

    private func close(_ mode: CloseMode) async throws {
        do {
            try await channel.close(mode: mode).get()
        } catch ChannelError.alreadyClosed {
            // The other end has already closed.
        }
    }

    /// The frame of a message: four bytes of length, then the text.
    public static func frame(_ text: String) -> [UInt8] {
        let length = UInt32(text.utf8.count)
        return withUnsafeBytes(of: length.bigEndian, Array.init) + Array(text.utf8)
    }

    // MARK: Receiving

    /// The next frame, or nil when the peer has closed.
    public func receiveFrame() async throws -> WireFrame? { await received.frame() }

    /// The next message, or nil when the peer has closed.
    /// - Throws: `UnexpectedFrame` for anything but a message in one frame.
    public func receive() async throws -> String? {
        guard let frame = await received.frame() else { return nil }
        guard frame.kind == .message else { throw UnexpectedFrame(frame: frame) }
        return frame.text
    }

    /// A received frame is not a whole message.
    public struct UnexpectedFrame: Error {
        public let frame: WireFrame
    }

    /// Sends a message and waits for the next one.
    public func exchange(_ text: String) async throws -> String? {
        try await send(text)
        return try await receive()
    }

    /// The next `count` bytes; nil when the peer closes earlier.
    public func receiveBytes(_ count: Int) async -> [UInt8]? { await received.bytes(count) }

    /// All bytes up to and including `end`; nil when the peer closes earlier.
    public func receiveBytes(upTo end: [UInt8]) async -> [UInt8]? { await received.bytes(upTo: end) }

    /// Waits until the other end closes the connection.
    /// - Returns: the bytes that were not received before.
    public func rest() async -> [UInt8] { await received.rest() }

    /// Waits until the connection is closed in both directions. Only for Unix sockets: they report that the peer has closed, not
    /// only shut down its sending side.
    public func waitUntilClosed() async throws { try await channel.closeFuture.get() }

    /// Starts or stops reading. Without reading, received bytes stay in the kernel's buffers, as with a peer that hangs.
    public func setReading(_ isReading: Bool) async throws {
        try await channel.setOption(.autoRead, value: isReading).get()
    }
}

/// The received bytes, as frames.
private actor Received {
    private let stream: AsyncStream<ByteBuffer>
    private var buffer = ByteBuffer()

    init(_ stream: AsyncStream<ByteBuffer>) { self.stream = stream }

    func frame() async -> WireFrame? {
        guard await fill(to: 4), let header = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else {
            return nil
        }
        let length = Int(header & 0xFF_FFFF)
        guard await fill(to: 4 + length) else { return nil }
        buffer.moveReaderIndex(forwardBy: 4)
        return WireFrame(
            kind: WireFrame.Kind(rawValue: UInt8(header >> 24)), payload: buffer.readBytes(length: length) ?? [])
    }

    func bytes(_ count: Int) async -> [UInt8]? {
        await fill(to: count) ? buffer.readBytes(length: count) : nil
    }

    func bytes(upTo end: [UInt8]) async -> [UInt8]? {
        while true {
            if let range = buffer.readableBytesView.firstRange(of: end) {
                return buffer.readBytes(length: range.upperBound - buffer.readerIndex)
            }
            guard await fill(to: buffer.readableBytes + 1) else { return nil }
        }
    }

    func rest() async -> [UInt8] {
        _ = await fill(to: .max)
        return buffer.readBytes(length: buffer.readableBytes) ?? []
    }

    private func fill(to count: Int) async -> Bool {
        while buffer.readableBytes < count {
            var iterator = stream.makeAsyncIterator()
            guard let more = await iterator.next(isolation: #isolation) else { return false }
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
