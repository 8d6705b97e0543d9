import NIOCore

/// Schedules messages that are sent as transfers. Those that have begun take turns, one frame each, as far as the
/// receiver has granted bytes. Lives on the event loop.
final class OutgoingSchedule {
    /// Messages that have not begun, in order: a receiver accepts a limited number of transfers at a time.
    private var waiting = LazyQueue<OutgoingMessage> { $0.outcome != nil }

    /// The bytes of the messages in `waiting`.
    private var waitingBytes = 0

    /// Messages that have begun, in order of their turns.
    private var begun = CircularBuffer<OutgoingMessage>()

    private var nextNumber: UInt32 = 1

    /// For grants and stops. Each number and each of its frames explains one that arrives after the number was closed.
    private var withoutEffect = NoEffectAllowance()

    /// How many bytes, and how many transfers, the receiver assembles at a time; our own limits by default.
    var receiverBytes = Limits().assembledBytes
    var receiverNumbers = Limits().openTransfers

    /// The maximum number of attachments of one message.
    static let attachmentLimit = 63

    /// The bytes that are still to be sent.
    var bytes: Int { waitingBytes + begun.reduce(0) { $0 + $1.remaining } }

    var isEmpty: Bool { waiting.isEmpty && begun.isEmpty }

    /// Whether the transfer numbers may not suffice for one more message.
    var isExhausted: Bool { nextNumber > .max - 1_000_000 }

    func add(_ message: OutgoingMessage) {
        waiting.append(message)
        waitingBytes += message.size
    }

    /// Returns the next frame; nil when no message can send one.
    /// - Parameter canSendParts: whether large texts may be sent in parts.
    func nextFrame(canSendParts: Bool) -> (header: ByteBuffer, payload: ByteBuffer)? {
        beginWaiting(canSendParts: canSendParts)
        for _ in begun.indices {
            guard let message = begun.popFirst() else { break }
            let frame = message.nextFrame()
            if message.isSent { message.end(.sent) } else { begun.append(message) }
            guard let frame else { continue }
            if frame.header.readableBytes > Frame.headerLength { withoutEffect.explain() }
            return frame
        }
        return nil
    }

    private func beginWaiting(canSendParts: Bool) {
        while let message = waiting.first {
            let numbers = begun.reduce(message.numbersNeeded) { $0 + $1.numbersNeeded }
            let size = begun.reduce(message.size) { $0 + $1.size }
            // A message that exceeds the limits on its own begins anyway; the receiver refuses it.
            guard begun.isEmpty || numbers <= receiverNumbers && size <= receiverBytes else { return }
            _ = waiting.popFirst()
            message.isQueued = false
            waitingBytes -= message.size
            let first = nextNumber
            message.begin(canSendParts: canSendParts, nextNumber: &nextNumber)
            withoutEffect.explain(Int(nextNumber - first))
            begun.append(message)
        }
    }

    /// Ignores a grant for a transfer that has ended.
    /// - Throws: when more would be outstanding than allowed, or too many grants have no effect.
    func grant(_ bytes: Int, to number: UInt32) throws(FrameViolation) {
        if bytes > 0 { for message in begun { if try message.grant(bytes, to: number) { return } } }
        try withoutEffect.take()
    }

    /// Stops a transfer that the receiver does not want.
    /// - Returns: false when the transfer has ended.
    /// - Throws: when too many stops have no effect.
    func stop(_ number: UInt32) throws(FrameViolation) -> Bool {
        guard let message = begun.first(where: { $0.stop(number) }) else {
            try withoutEffect.take()
            return false
        }
        if message.isSent { end(message) }
        return true
    }

    /// Aborts a message.
    /// - Returns: the numbers of its unfinished transfers that the receiver knows.
    func giveUp(_ message: OutgoingMessage) -> [UInt32] {
        guard message.outcome == nil else { return [] }
        let numbers = message.announcedNumbers
        end(message)
        return numbers
    }

    private func end(_ message: OutgoingMessage) {
        // Removed first, because the callback may send again.
        begun.removeAll { $0 === message }
        let wasQueued = message.isQueued
        if wasQueued { waitingBytes -= message.size }
        message.end(.givenUp)
        if wasQueued { waiting.noteLeft() }
    }

    /// Drops all messages, because the connection has ended.
    func end() {
        let all = waiting.removeAll() + Array(begun)
        (waitingBytes, begun) = (0, [])
        for message in all { message.end(.givenUp) }
    }
}
