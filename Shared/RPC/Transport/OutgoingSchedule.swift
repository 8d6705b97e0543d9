import NIOCore

/// The messages that are sent as transfers: those that have begun take turns, a frame each, as far as their receiver has
/// granted bytes. Lives on the event loop.
final class OutgoingSchedule {
    /// In order of arrival: a receiver takes only so many transfers at a time.
    private var waiting = LazyQueue<OutgoingMessage> { $0.outcome != nil }

    /// The bytes of `waiting`.
    private var waitingBytes = 0

    /// The one that is next in front; few, because a receiver takes only so many numbers.
    private var begun = CircularBuffer<OutgoingMessage>()

    private var nextNumber: UInt32 = 1

    /// How many bytes, under how many numbers, the receiver assembles at a time. By default it has our limits.
    var receiverBytes = Limits().assembledBytes
    var receiverNumbers = Limits().openTransfers

    /// The most attachments of one message.
    static let attachmentLimit = 63

    /// What remains to be sent.
    var bytes: Int { waitingBytes + begun.reduce(0) { $0 + $1.remaining } }

    var isEmpty: Bool { waiting.isEmpty && begun.isEmpty }

    /// Whether there may be too few numbers left for one more message.
    var isExhausted: Bool { nextNumber > .max - 1_000_000 }

    func add(_ message: OutgoingMessage) {
        message.isQueued = true
        waiting.append(message)
        waitingBytes += message.size
    }

    /// The next frame; nil when no message can send one.
    /// - Parameter canSendParts: whether large texts may go in parts.
    func nextFrame(canSendParts: Bool) -> (header: ByteBuffer, payload: ByteBuffer)? {
        beginWaiting(canSendParts: canSendParts)
        for _ in begun.indices {
            guard let message = begun.popFirst() else { break }
            let frame = message.nextFrame()
            if message.isSent { message.end(.sent) } else { begun.append(message) }
            if let frame { return frame }
        }
        return nil
    }

    private func beginWaiting(canSendParts: Bool) {
        while let message = waiting.first {
            let numbers = begun.reduce(message.numbersNeeded) { $0 + $1.numbersNeeded }
            let size = begun.reduce(message.size) { $0 + $1.size }
            // The receiver refuses a message that is over its limits alone.
            guard begun.isEmpty || numbers <= receiverNumbers && size <= receiverBytes else { return }
            _ = waiting.popFirst()
            message.isQueued = false
            waitingBytes -= message.size
            message.begin(canSendParts: canSendParts, nextNumber: &nextNumber)
            begun.append(message)
        }
    }

    /// A grant for a number that has ended is ignored.
    /// - Throws: when more is outstanding than may be.
    func grant(_ bytes: Int, to number: UInt32) throws(FrameViolation) {
        for message in begun { if try message.grant(bytes, to: number) { return } }
    }

    /// The receiver does not want the rest of a transfer.
    /// - Returns: false when there is no rest.
    func stop(_ number: UInt32) -> Bool {
        guard let message = begun.first(where: { $0.stop(number) }) else { return false }
        if message.isSent { end(message) }
        return true
    }

    /// Sends no more of a message.
    /// - Returns: the numbers that its receiver knows and that have not ended.
    func giveUp(_ message: OutgoingMessage) -> [UInt32] {
        guard message.outcome == nil else { return [] }
        let numbers = message.announcedNumbers
        end(message)
        return numbers
    }

    private func end(_ message: OutgoingMessage) {
        // Removed first: whatever hears of the end may send again.
        begun.removeAll { $0 === message }
        let wasQueued = message.isQueued
        if wasQueued { waitingBytes -= message.size }
        message.end(.givenUp)
        if wasQueued { waiting.noteLeft() }
    }

    /// The connection is over.
    func end() {
        let all = waiting.removeAll() + Array(begun)
        (waitingBytes, begun) = (0, [])
        for message in all { message.end(.givenUp) }
    }
}
