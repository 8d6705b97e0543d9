import NIOCore

/// Bytes in, frames out: a value without I/O. The buffer grows with the bytes received, never with a declared length.
struct FrameDecoder {
    private let limit: Int
    private var buffer = ByteBuffer()

    init(limit: Int) { self.limit = limit }

    /// Whether a frame has begun and is not complete.
    var isInsideFrame: Bool { buffer.readableBytes > 0 }

    mutating func append(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            buffer.discardReadBytes()
            buffer.writeImmutableBuffer(bytes)
        }
    }

    /// The next complete frame, or nil when more bytes are needed.
    mutating func next() throws(FrameViolation) -> Frame? {
        guard let header = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else {
            return nil
        }
        let kind = UInt8(truncatingIfNeeded: header >> 24)
        let length = Int(header & 0xFF_FFFF)
        guard kind == Frame.messageKind else { throw .unknownKind(kind) }
        guard length <= limit else { throw .tooLong(length, limit: limit) }
        guard buffer.readableBytes >= Frame.headerLength + length else { return nil }
        buffer.moveReaderIndex(forwardBy: Frame.headerLength)
        let payload = buffer.readSlice(length: length) ?? ByteBuffer()
        if buffer.readableBytes == 0 { buffer = ByteBuffer() }
        return Frame(kind: kind, payload: payload)
    }
}
