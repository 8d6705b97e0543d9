import JSON
import NIOCore

extension ByteBuffer {
    /// Appends one message in a frame. It is encoded in place if it fits into the buffer's memory.
    /// - Parameters:
    ///   - expected: the expected length of the message; this much memory is reserved before encoding.
    ///   - message: encodes the message.
    /// - Returns: the attachments of the message.
    /// - Throws: `too_large` when the message is over `limit`; nothing is appended then.
    @discardableResult
    mutating func writeFrame(
        limit: Int, expecting expected: Int = 0, takesAttachments: Bool = false, _ message: (inout JSONWriter) -> Void
    ) throws(RPCError) -> [Attachment] {
        let limit = min(limit, Limits.largestFrameLength)
        var length = 0
        var attachments: [any Sendable] = []
        var moved: UnsafeMutableRawBufferPointer?
        defer { moved?.deallocate() }
        writeWithUnsafeMutableBytes(minimumWritableBytes: Frame.headerLength + expected) { memory in
            var writer = JSONWriter(
                in: UnsafeMutableRawBufferPointer(rebasing: memory[Frame.headerLength...]),
                takesAttachments: takesAttachments)
            message(&writer)
            length = writer.count
            attachments = writer.attachments ?? []
            moved = writer.takeMovedText()
            guard moved == nil, length <= limit else { return 0 }
            memory.storeBytes(of: Frame.Kind.message.header(length: length).bigEndian, as: UInt32.self)
            return Frame.headerLength + length
        }
        guard length <= limit else {
            throw RPCError(.tooLarge, "a message of \(length) bytes is over the limit of \(limit) bytes", begun: false)
        }
        if let moved {
            reserveCapacity(minimumWritableBytes: Frame.headerLength + length)
            writeHeader(.message, length: length)
            writeBytes(UnsafeRawBufferPointer(moved))
        }
        return attachments.compactMap { $0 as? Attachment }
    }

    mutating func writeHeader(_ kind: Frame.Kind, length: Int) { writeInteger(kind.header(length: length)) }
}

extension Frame.Kind {
    fileprivate func header(length: Int) -> UInt32 { UInt32(rawValue) << 24 | UInt32(length) }
}
