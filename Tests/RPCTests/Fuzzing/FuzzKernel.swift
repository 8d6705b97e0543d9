import NIOCore

/// A simulated kernel: holds the bytes that a connection writes until the script lets the peer read them.
final class FuzzKernel: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    /// Whether all writes are accepted at once.
    var isEager = true

    /// The bytes that the peer can read.
    private(set) var arrived = ByteBuffer()

    private(set) var hasClosedOutput = false
    private(set) var hasClosed = false

    /// A violation of the channel's rules by the connection.
    private(set) var fault: String?

    private var held = CircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasClosed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        if hasClosedOutput { fault = "something was written after the end of output" }
        held.append((unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) {
        if isEager { take(.max) }
    }

    /// Accepts this many writes.
    func take(_ count: Int) {
        var left = count
        while left > 0, let (bytes, promise) = held.popFirst() {
            left -= 1
            arrived.writeImmutableBuffer(bytes)
            promise?.succeed()
        }
    }

    /// Reads at most this many of the bytes that have arrived.
    func read(_ count: Int) -> ByteBuffer {
        let bytes = arrived.readSlice(length: min(count, arrived.readableBytes)) ?? ByteBuffer()
        arrived.discardReadBytes()
        return bytes
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch mode {
        case .output:
            hasClosedOutput = true
            promise?.succeed()
        case .input: promise?.succeed()
        case .all:
            hasClosed = true
            while let (_, promise) = held.popFirst() { promise?.fail(ChannelError.ioOnClosedChannel) }
            context.close(mode: .all, promise: promise)
        }
    }
}
