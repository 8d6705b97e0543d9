import NIOCore

/// An outgoing message that is too large for one frame, or has attachments. It is sent as a sequence of transfers, its
/// text first. Lives on the event loop.
final class OutgoingMessage {
    /// How the sending ended.
    enum Outcome {
        case sent
        /// The receiver stopped it, or this side aborted it.
        case givenUp
    }

    /// The transfers that are not completely sent, the text first.
    private var transfers: [Transfer]

    /// Whether all of the text was sent, so that the receiver has the message.
    private(set) var isTextOut = false

    /// Whether some of the text was sent, so that the receiver knows its number.
    private(set) var hasBegun = false

    private(set) var outcome: Outcome?

    /// Whether it waits for earlier messages.
    var isQueued = true

    /// Called once.
    var whenOver: (Outcome) -> Void = { _ in }

    /// The total bytes, including those already sent.
    let size: Int
    private let attachmentCount: Int

    init(text: ByteBuffer, attachments: [Attachment], withCredit: Bool) {
        transfers = [Transfer(.text(text), withCredit: withCredit)]
        for attachment in attachments {
            transfers.append(Transfer(.attachment(attachment.data), withCredit: withCredit))
        }
        attachmentCount = attachments.count
        size = transfers.reduce(0) { $0 + $1.content.count }
    }

    /// The bytes that are still to be sent.
    var remaining: Int { transfers.reduce(0) { $0 + $1.content.count } }

    /// How many of the receiver's transfer slots the rest of the message needs.
    var numbersNeeded: Int { transfers.count + (isTextOut ? 1 : 0) }

    /// The maximum bytes of the envelope's member `attachments` for this many attachments.
    static func envelopeBytes(for attachments: Int) -> Int {
        attachments == 0 ? 0 : ",\"attachments\":[]".utf8.count + attachments * "4294967295,".utf8.count
    }

    // MARK: Sending

    /// Assigns transfer numbers, and adds those of the attachments to the envelope.
    /// - Parameter canSendParts: whether a large text may be sent in parts.
    func begin(canSendParts: Bool, nextNumber: inout UInt32) {
        guard case .text(var text) = transfers[0].content else { return }
        let isLarge = text.readableBytes + Self.envelopeBytes(for: attachmentCount) > Limits.chunkBytes
        for index in transfers.indices where index > 0 || isLarge && canSendParts {
            transfers[index].number = nextNumber
            nextNumber += 1
        }
        guard attachmentCount > 0 else { return }
        // The envelope is an object; `attachments` becomes its last member.
        text.moveWriterIndex(to: text.writerIndex - 1)
        let numbers = transfers.dropFirst().compactMap { $0.number.map(String.init) }
        text.writeString(",\"attachments\":[\(numbers.joined(separator: ","))]}")
        transfers[0].content = .text(text)
    }

    /// Returns the next frame, with header and payload separate; nil while there is no credit.
    func nextFrame() -> (header: ByteBuffer, payload: ByteBuffer)? {
        guard !transfers.isEmpty, let payload = transfers[0].nextPayload() else { return nil }
        let transfer = transfers[0]
        hasBegun = true
        let isLast = transfer.content.count == 0
        var header = ByteBuffer()
        if let number = transfer.number {
            header.writeHeader(
                transfer.content.kind(isLast: isLast), length: Frame.numberLength + payload.readableBytes)
            header.writeInteger(number)
        } else {
            header.writeHeader(.message, length: payload.readableBytes)
        }
        if isLast {
            transfers.removeFirst()
            isTextOut = true
        }
        return (header, payload)
    }

    var isSent: Bool { transfers.isEmpty }

    // MARK: Messages from the receiver

    /// The transfers whose numbers the receiver knows.
    private var announced: Range<Int> { 0..<(isTextOut ? transfers.count : hasBegun ? min(1, transfers.count) : 0) }

    var announcedNumbers: [UInt32] { transfers[announced].compactMap(\.number) }

    /// - Returns: false when the receiver does not know the number.
    /// - Throws: when more would be outstanding than allowed.
    func grant(_ bytes: Int, to number: UInt32) throws(FrameViolation) -> Bool {
        for index in announced where transfers[index].number == number {
            try transfers[index].addGrant(bytes)
            return true
        }
        return false
    }

    /// Removes a transfer that the receiver stopped; if it was the text, removes all.
    /// - Returns: false when the receiver does not know the number.
    func stop(_ number: UInt32) -> Bool {
        guard let index = announced.first(where: { transfers[$0].number == number }) else { return false }
        if isTextOut { transfers.remove(at: index) } else { transfers.removeAll() }
        return true
    }

    func end(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        transfers.removeAll()
        let whenOver = whenOver
        self.whenOver = { _ in }
        whenOver(outcome)
    }
}
