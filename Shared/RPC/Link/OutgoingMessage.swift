import Foundation
import NIOCore

/// A message that is too large for a frame of its own, or has attachments, on its way out. Lives on the event loop.
final class OutgoingMessage {
    /// How it ended.
    enum Outcome {
        case sent
        /// Its receiver, or we ourselves, did not want to go on with it.
        case givenUp
    }

    /// What remains of its text. It goes first.
    private(set) var text: ByteBuffer

    /// What remains of the attachments.
    private(set) var attachments: [Data]

    /// The numbers of what is on its way: of the text, when it goes in parts, and of each attachment that remains.
    private(set) var textNumber: UInt32?
    private(set) var attachmentNumbers: [UInt32] = []

    private(set) var outcome: Outcome?

    /// Whether it waits for others to be sent.
    var isQueued = false

    /// Told once.
    var whenOver: (Outcome) -> Void = { _ in }

    /// How many more payload bytes of the first number may be sent.
    private var credit = Limits.creditWindow

    /// Grants for attachments that are not first yet.
    private var grants: [UInt32: Int] = [:]

    /// Everything, when it began.
    let size: Int

    init(text: ByteBuffer, attachments: [Attachment]) {
        self.text = text
        self.attachments = attachments.map(\.data)
        size = attachments.reduce(text.readableBytes) { $0 + $1.data.count }
    }

    /// Whether its text is too large to go whole where parts were agreed on.
    var isLarge: Bool { text.readableBytes + Self.envelopeBytes(for: attachments.count) > Limits.chunkBytes }

    /// What is still to be sent.
    var remaining: Int { attachments.reduce(text.readableBytes) { $0 + $1.count } }

    /// Whether all of the text is out: then its receiver knows the message.
    private(set) var isTextOut = false

    /// Whether some of it is out.
    var hasBegun: Bool { isBegun || isTextOut }

    /// Whether some of the text is out.
    private var isBegun = false

    var numbersNeeded: Int { attachments.count + 1 }

    /// The most that the envelope takes for telling the numbers of so many attachments.
    static func envelopeBytes(for attachments: Int) -> Int {
        attachments == 0 ? 0 : ",\"attachments\":[]".utf8.count + attachments * "4294967295,".utf8.count
    }

    // MARK: Sending

    /// Takes numbers, and tells them in the envelope.
    /// - Parameter inParts: whether the text goes under a number too.
    func begin(inParts: Bool, number: inout UInt32) {
        func next() -> UInt32 {
            defer { number += 1 }
            return number
        }
        textNumber = inParts ? next() : nil
        guard !attachments.isEmpty else { return }
        for _ in attachments { attachmentNumbers.append(next()) }
        // The envelope is an object, and its attachments are its last member.
        text.moveWriterIndex(to: text.writerIndex - 1)
        text.writeString(",\"attachments\":[\(attachmentNumbers.map(String.init).joined(separator: ","))]}")
    }

    /// The number that is sent next; nil before a text that goes whole.
    private var currentNumber: UInt32? { isTextOut ? attachmentNumbers.first : textNumber }

    /// The next frame, or nil while there is no credit.
    func nextFrame(withCredit: Bool) -> ByteBuffer? {
        guard let number = currentNumber else {
            isTextOut = true
            defer { text.clear() }
            return frame(.message, number: nil, text.readableBytesView)
        }
        let left = isTextOut ? attachments.first?.count ?? 0 : text.readableBytes
        let count = min(left, Limits.chunkBytes, withCredit ? credit : .max)
        guard count > 0 || left == 0 else { return nil }
        credit -= count
        isBegun = true
        let isLast = count == left
        if isTextOut {
            let chunk = attachments[0].prefix(count)
            let frame = frame(isLast ? .lastAttachmentChunk : .attachmentChunk, number: number, chunk)
            if isLast {
                attachments.removeFirst()
                attachmentNumbers.removeFirst()
                renewCredit()
            } else {
                attachments[0].removeFirst(count)
            }
            return frame
        }
        let frame = frame(isLast ? .lastPart : .part, number: number, text.readableBytesView.prefix(count))
        text.moveReaderIndex(forwardBy: count)
        if isLast {
            isTextOut = true
            textNumber = nil
            renewCredit()
        }
        return frame
    }

    private func renewCredit() {
        credit = Limits.creditWindow + (attachmentNumbers.first.flatMap { grants.removeValue(forKey: $0) } ?? 0)
    }

    private func frame(_ kind: Frame.Kind, number: UInt32?, _ payload: some Collection<UInt8>) -> ByteBuffer {
        let length = payload.count + (number == nil ? 0 : Frame.numberLength)
        var frame = ByteBufferAllocator().buffer(capacity: Frame.headerLength + length)
        frame.writeInteger(UInt32(kind.rawValue) << 24 | UInt32(length))
        if let number { frame.writeInteger(number) }
        frame.writeBytes(payload)
        return frame
    }

    // MARK: Being told

    /// - Throws: when more is outstanding than may be.
    func grant(_ bytes: Int, to number: UInt32) throws(FrameViolation) {
        let total: Int
        if number == currentNumber {
            credit += bytes
            total = credit
        } else {
            grants[number, default: 0] += bytes
            total = Limits.creditWindow + grants[number, default: 0]
        }
        if total > Limits.outstandingCredit { throw .creditTooLarge(number) }
    }

    /// Gives up one number that its receiver does not want.
    /// - Returns: whether nothing is left to send.
    func stop(_ number: UInt32) -> Bool {
        if number == textNumber {
            // Its attachments were never announced.
            text.clear()
            attachments.removeAll()
            return true
        }
        if let index = attachmentNumbers.firstIndex(of: number) {
            let wasFirst = isTextOut && index == 0
            attachmentNumbers.remove(at: index)
            attachments.remove(at: index)
            if wasFirst { renewCredit() }
        }
        return isSent
    }

    /// The numbers that its receiver waits for: of a text in parts it knows from the first part on.
    var announced: [UInt32] {
        isTextOut ? attachmentNumbers : isBegun ? [textNumber].compactMap(\.self) : []
    }

    var isSent: Bool { isTextOut && attachments.isEmpty }

    func giveUp() {
        text.clear()
        attachments.removeAll()
        end(.givenUp)
    }

    func end(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        let whenOver = whenOver
        self.whenOver = { _ in }
        whenOver(outcome)
    }
}
