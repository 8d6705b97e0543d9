extension [UInt8] {
    /// Writes one message frame around what `body` writes.
    /// - Throws: `too_large`, with the bytes as they were, when the message is over `limit`.
    mutating func writeFrame(limit: Int, _ body: (inout JSONWriter) -> Void) throws(RPCError) {
        let start = count
        append(contentsOf: [Frame.messageKind, 0, 0, 0])
        // The writer must be the only owner of the bytes while it writes, or every write would copy them.
        var writer = JSONWriter(appendingTo: self)
        self = []
        body(&writer)
        self = writer.bytes
        writer = JSONWriter()
        let length = count - start - Frame.headerLength
        let limit = Swift.min(limit, Limits.largestFrameLength)
        guard length <= limit else {
            removeSubrange(start...)
            throw RPCError(.tooLarge, "a message of \(length) bytes is over the limit of \(limit) bytes", begun: false)
        }
        self[start + 1] = UInt8(truncatingIfNeeded: length >> 16)
        self[start + 2] = UInt8(truncatingIfNeeded: length >> 8)
        self[start + 3] = UInt8(truncatingIfNeeded: length)
    }
}
