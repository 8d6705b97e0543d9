import Foundation
import NIOCore

/// The bytes with one transfer number, in either direction: the text of a message in parts, or an attachment.
///
/// The receiver appends to `content`, the sender removes from its front. Both track the same `credit`.
struct Transfer {
    enum Content {
        case text(ByteBuffer)

        /// The checksum is computed as the bytes arrive; nil for a sender or a forwarder.
        case attachment(Data, Checksum? = nil)
    }

    /// Nil only for a text that fits into one frame.
    var number: UInt32?

    /// The bytes received so far, or still to be sent.
    var content: Content

    /// How many more payload bytes the sender may send.
    private(set) var credit: Int

    /// - Parameter withCredit: whether the sender waits for grants.
    init(_ content: Content, number: UInt32? = nil, withCredit: Bool) {
        self.content = content
        self.number = number
        credit = withCredit ? Limits.creditWindow : .max / 2
    }

    // MARK: Receiving

    /// Subtracts received payload bytes from the credit.
    /// - Throws: `overrun` when they exceed it.
    mutating func count(_ bytes: Int) throws(FrameViolation) {
        credit -= bytes
        if credit < 0 { throw .overrun(number ?? 0) }
    }

    /// How many bytes to grant, in large steps; nil while the credit is more than half of a window.
    mutating func nextGrant() -> Int? {
        guard credit <= Limits.creditWindow / 2 else { return nil }
        defer { credit = Limits.creditWindow }
        return Limits.creditWindow - credit
    }

    // MARK: Sending

    /// Adds a grant to the credit.
    /// - Throws: `creditTooLarge` when more would be outstanding than allowed.
    mutating func addGrant(_ bytes: Int) throws(FrameViolation) {
        credit += bytes
        if credit > Limits.outstandingCredit { throw .creditTooLarge(number ?? 0) }
    }

    /// Removes and returns the payload of the next frame; nil while there is no credit.
    mutating func nextPayload() -> ByteBuffer? {
        guard number != nil else { return content.removeFirst(content.count) }
        let length = min(content.count, Limits.chunkBytes, credit)
        guard length > 0 || content.count == 0 else { return nil }
        credit -= length
        return content.removeFirst(length)
    }
}

extension Transfer.Content {
    var count: Int {
        switch self {
        case .text(let text): text.readableBytes
        case .attachment(let data, _): data.count
        }
    }

    mutating func append(_ payload: ByteBuffer, isLast: Bool) {
        // Moved out while it grows: a second reference would make every payload copy it.
        var content = Transfer.Content.text(ByteBuffer())
        swap(&content, &self)
        self = (consume content).appending(payload, isLast: isLast)
    }

    private consuming func appending(_ payload: ByteBuffer, isLast: Bool) -> Self {
        let isFirst = count == 0
        switch consume self {
        case .text(var text):
            if isFirst, isLast { return .text(payload) }
            if isFirst { text.reserveCapacity(2 * payload.readableBytes) }
            text.writeImmutableBuffer(payload)
            return .text(text)
        case .attachment(var data, var checksum):
            if isFirst, !isLast { data.reserveCapacity(2 * payload.readableBytes) }
            payload.withUnsafeReadableBytes { bytes in
                data.append(contentsOf: bytes)
                checksum?.add(bytes)
            }
            return .attachment(data, checksum)
        }
    }

    /// Text is not copied: its encoded memory is written as it is.
    fileprivate mutating func removeFirst(_ length: Int) -> ByteBuffer {
        switch self {
        case .text(var text):
            defer { self = .text(text) }
            return text.readSlice(length: length) ?? ByteBuffer()
        case .attachment(let data, _):
            self = .attachment(data.dropFirst(length))
            return ByteBuffer(bytes: data.prefix(length))
        }
    }

    /// The kind of a frame with a payload of this content.
    func kind(isLast: Bool) -> Frame.Kind {
        switch self {
        case .text: isLast ? .lastPart : .part
        case .attachment: isLast ? .lastAttachmentChunk : .attachmentChunk
        }
    }
}
