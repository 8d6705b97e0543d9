import JSON

extension [UInt8] {
    /// Writes one message frame around what `body` writes.
    /// - Returns: the bytes that `body` wants to have beside the message.
    /// - Throws: `too_large`, with the bytes as they were, when the message is over `limit`.
    @discardableResult
    mutating func writeFrame(
        limit: Int, takesAttachments: Bool = false, _ body: (inout JSONWriter) -> Void
    ) throws(RPCError) -> [Attachment] {
        let start = count
        append(contentsOf: [Frame.Kind.message.rawValue, 0, 0, 0])
        // The writer must be the only owner of the bytes while it writes, or every write would copy them.
        var writer = JSONWriter(appendingTo: self, takesAttachments: takesAttachments)
        self = []
        body(&writer)
        self = writer.bytes
        let attachments = writer.attachments?.compactMap { $0 as? Attachment } ?? []
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
        return attachments
    }

    mutating func appendHeader(_ kind: Frame.Kind, length: Int) {
        append(bigEndian: UInt32(kind.rawValue) << 24 | UInt32(length))
    }

    mutating func append(bigEndian number: UInt32) {
        for shift in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: number >> UInt32(shift))) }
    }
}
