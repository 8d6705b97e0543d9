import Foundation
import NIOCore

/// An attachment, or a message in parts, while it comes. Lives on the event loop.
final class IncomingTransfer {
    enum State {
        case message(ByteBuffer)
        case attachment(Data, Checksum, of: IncomingAttachments, index: Int)
        /// We have said that we do not want it; what was under way is thrown away.
        case stopped
    }

    let number: UInt32

    /// Counts up over all transfers of a connection: which of two is the newer one.
    let age: Int
    private(set) var state: State

    /// Payload bytes that have come, and how many may; nil without credit.
    private var received = 0
    private var granted: Int?

    private var lastBytes: NIODeadline

    /// When it, or another attachment of its message, went on last.
    var lastProgress: NIODeadline {
        guard case .attachment(_, _, let attachments, _) = state else { return lastBytes }
        return max(lastBytes, attachments.lastProgress)
    }

    init(_ number: UInt32, _ state: State, age: Int, withCredit: Bool, now: NIODeadline) {
        self.number = number
        self.state = state
        self.age = age
        granted = withCredit ? Limits.creditWindow : nil
        lastBytes = now
    }

    var isStopped: Bool {
        if case .stopped = state { return true }
        return false
    }

    /// The bytes that are kept.
    var held: Int {
        switch state {
        case .message(let text): text.readableBytes
        case .attachment(let data, _, _, _): data.count
        case .stopped: 0
        }
    }

    /// The same, with what has come of the other attachments of its message: those come one after the other.
    var heldWithItsMessage: Int {
        guard case .attachment(_, _, let attachments, _) = state else { return held }
        return held + attachments.heldBytes
    }

    func stop() { state = .stopped }

    /// Takes note of bytes that have come.
    /// - Throws: when they are more than were granted.
    func count(_ bytes: Int, now: NIODeadline) throws(FrameViolation) {
        received += bytes
        // A chunk of nothing is no progress.
        if bytes > 0 {
            lastBytes = now
            if case .attachment(_, _, let attachments, _) = state { attachments.lastProgress = now }
        }
        if let granted, received > granted { throw .overrun(number) }
    }

    /// What to grant, in large steps; nil when enough is granted.
    func grant() -> Int? {
        guard let granted, !isStopped, granted - received <= Limits.creditWindow / 2 else { return nil }
        let grant = received + Limits.creditWindow - granted
        self.granted = granted + grant
        return grant
    }

    func append(_ payload: ByteBuffer) {
        // Taken out while it grows: with a second reference to it, every chunk would copy it.
        var state = State.stopped
        swap(&state, &self.state)
        self.state = (consume state).appending(payload)
    }
}

extension IncomingTransfer.State {
    fileprivate consuming func appending(_ payload: ByteBuffer) -> Self {
        switch consume self {
        case .message(var text):
            text.writeImmutableBuffer(payload)
            return .message(text)
        case .attachment(var data, var checksum, let attachments, let index):
            payload.withUnsafeReadableBytes { bytes in
                data.append(contentsOf: bytes)
                if attachments.areChecked { checksum.add(bytes) }
            }
            return .attachment(data, checksum, of: attachments, index: index)
        case .stopped: return .stopped
        }
    }
}
