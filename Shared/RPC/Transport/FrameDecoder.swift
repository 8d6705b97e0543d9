import NIOCore

/// Decodes bytes to frames: a value without I/O. The buffer grows with the bytes received, never with a declared
/// length.
struct FrameDecoder {
    /// The negotiated features decide which kinds are allowed.
    var features: Features = []

    private let limit: Int
    private var buffer = ByteBuffer()

    /// - Parameter limit: the maximum bytes of a message.
    init(limit: Int) { self.limit = min(limit, Limits.largestFrameLength) }

    /// Whether a frame has begun and is not complete.
    var isInsideFrame: Bool { undecodedBytes > 0 }

    /// The bytes of frames that were not returned yet.
    var undecodedBytes: Int { buffer.readableBytes }

    /// The memory that holds them.
    var heldBytes: Int { buffer.readableBytes == 0 ? 0 : buffer.storageCapacity }

    /// Frees memory that held frames which were returned, if most of it did.
    mutating func trim() {
        if heldBytes > 4 * (buffer.readableBytes + Limits.uncountedBytes) {
            buffer = ByteBuffer(bytes: buffer.readableBytesView)
        }
    }

    /// Drops all bytes.
    mutating func drop() { buffer = ByteBuffer() }

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
        guard let header = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return nil }
        let (number, length) = (UInt8(truncatingIfNeeded: header >> 24), Int(header & 0xFF_FFFF))
        guard let kind = Frame.Kind(rawValue: number), kind.isAllowed(by: features) else { throw .unknownKind(number) }
        let lengths = kind.lengths(limit: limit)
        guard lengths.contains(length) else {
            throw lengths.lowerBound == 0 ? .tooLong(length, limit: limit) : .badLength(kind, length)
        }
        guard buffer.readableBytes >= Frame.headerLength + length else { return nil }
        buffer.moveReaderIndex(forwardBy: Frame.headerLength)
        let payload = buffer.readSlice(length: length) ?? ByteBuffer()
        if buffer.readableBytes == 0 { buffer = ByteBuffer() }
        return Frame(kind: kind, payload: payload)
    }
}
