import NIOCore

extension ByteBuffer {
    /// Writes one message frame around what `body` writes.
    /// - Throws: `too_large`, with the buffer as it was, when the message is over `limit`.
    mutating func writeFrame(limit: Int, _ body: (inout JSONWriter) -> Void) throws(RPCError) {
        let start = writerIndex
        writeInteger(UInt32(0))
        // The writer must be the buffer's only owner while it writes, or every write would copy.
        var writer = JSONWriter(appendingTo: self)
        self = ByteBuffer()
        body(&writer)
        self = writer.buffer
        writer = JSONWriter()
        let length = writerIndex - start - Frame.headerLength
        let limit = min(limit, Limits.largestFrameLength)
        guard length <= limit else {
            moveWriterIndex(to: start)
            throw RPCError(.tooLarge, "a message of \(length) bytes is over the limit of \(limit) bytes", begun: false)
        }
        setInteger(UInt32(Frame.messageKind) << 24 | UInt32(length), at: start)
    }
}
