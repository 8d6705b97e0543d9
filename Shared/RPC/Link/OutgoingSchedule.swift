import NIOCore

/// Which of the large messages sends next: in turns, a chunk each, and none whose receiver has not granted more. Lives on
/// the event loop.
final class OutgoingSchedule {
    /// First come, first served: a receiver takes only so many at a time.
    private var waiting = LazyQueue<OutgoingMessage> { $0.outcome != nil }

    /// What is still to be sent of those.
    private var waitingBytes = 0

    /// Those that have begun, the one that is next in front; few, as a receiver takes only so many numbers.
    private var begun = CircularBuffer<OutgoingMessage>()

    private var nextNumber: UInt32 = 1

    /// How much, under how many numbers, the receiver holds for us. One that has not said so is as we are by default.
    var receiverBytes = Limits().assembledBytes
    var receiverNumbers = Limits().openTransfers

    /// The most attachments of one message.
    static let attachmentLimit = 63

    /// What is still to be sent.
    var bytes: Int { waitingBytes + begun.reduce(0) { $0 + $1.remaining } }

    var isEmpty: Bool { waiting.isEmpty && begun.isEmpty }

    /// Whether there may be too few numbers left for one more message.
    var isExhausted: Bool { nextNumber > .max - 1_000_000 }

    func add(_ message: OutgoingMessage) {
        message.isQueued = true
        waiting.append(message)
        waitingBytes += message.size
    }

    /// The next frame of whoever's turn it is; nil when nobody can go on.
    func nextFrame(_ features: Features) -> ByteBuffer? {
        beginWaiting(features)
        for _ in begun.indices {
            guard let message = begun.popFirst() else { break }
            let frame = message.nextFrame(withCredit: features.contains(.credit))
            if message.isSent { message.end(.sent) } else { begun.append(message) }
            if let frame { return frame }
        }
        return nil
    }

    private func beginWaiting(_ features: Features) {
        while let message = waiting.first {
            let numbers = begun.reduce(message.numbersNeeded) { $0 + $1.numbersNeeded }
            let size = begun.reduce(message.size) { $0 + $1.size }
            // One that is too much by itself is for the receiver to refuse.
            guard begun.isEmpty || numbers <= receiverNumbers && size <= receiverBytes else { return }
            _ = waiting.popFirst()
            message.isQueued = false
            waitingBytes -= message.size
            message.begin(inParts: message.isLarge && features.contains(.parts), number: &nextNumber)
            begun.append(message)
        }
    }

    /// - Throws: when more is outstanding than may be. What is granted to a number that is over is of no interest.
    func grant(_ bytes: Int, to number: UInt32) throws(FrameViolation) {
        try begun.first { $0.announced.contains(number) }?.grant(bytes, to: number)
    }

    /// The receiver does not want the rest of a number.
    /// - Returns: false when there is no rest.
    func stop(_ number: UInt32) -> Bool {
        guard let message = begun.first(where: { $0.announced.contains(number) }) else { return false }
        if message.stop(number) {
            // Whoever hears of its end may send again.
            begun.removeAll { $0 === message }
            message.end(.givenUp)
        }
        return true
    }

    /// Sends no more of a message.
    /// - Returns: the numbers that its receiver waits for in vain.
    func giveUp(_ message: OutgoingMessage) -> [UInt32] {
        guard message.outcome == nil else { return [] }
        guard !message.isQueued else {
            waitingBytes -= message.size
            message.giveUp()
            waiting.noteLeft()
            return []
        }
        let announced = message.announced
        begun.removeAll { $0 === message }
        message.giveUp()
        return announced
    }

    /// The connection is over.
    func end() {
        let all = waiting.removeAll() + Array(begun)
        (waitingBytes, begun) = (0, [])
        for message in all { message.giveUp() }
    }
}
