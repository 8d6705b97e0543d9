import Foundation
import NIOCore

/// What a peer is sending us under numbers: attachments, and messages in parts. Lives on the event loop.
///
/// What has to be told to the peer for it collects in `replies` and `refusals`.
final class IncomingTransfers {
    enum Reply: Equatable {
        case credit(UInt32, bytes: Int)
        case stop(UInt32)
    }

    /// Frames that are to be sent.
    private var replies: [Reply] = []

    /// Why messages in parts will not be taken. What they were about, nobody knows.
    private var refusals: [RPCError] = []

    /// Whether how much is under way was left to us.
    var withCredit = false

    private let limits: Limits
    private let budget: AssemblyBudget
    private var numbers = IncomingNumbers()
    private var transfers: [UInt32: IncomingTransfer] = [:]
    private var opened = 0

    /// How many stopped numbers that have not ended are remembered.
    static let stoppedLimit = 1_024

    init(limits: Limits, budget: AssemblyBudget) {
        self.limits = limits
        self.budget = budget
    }

    func takeReplies() -> [Reply] {
        defer { replies = [] }
        return replies
    }

    func takeRefusals() -> [RPCError] {
        defer { refusals = [] }
        return refusals
    }

    // MARK: Opening

    /// Expects the attachments that a message has announced.
    func open(_ attachments: IncomingAttachments, now: NIODeadline) throws(FrameViolation) {
        for (index, number) in attachments.numbers.enumerated() {
            // One that was too many has ended the others with it: those after it are not wanted either.
            if attachments.isOver { return try refuse(Array(attachments.numbers[index...]), now: now) }
            try open(number, .attachment(Data(), Checksum(), of: attachments, index: index), now: now)
        }
    }

    /// Does not want the attachments that a message has announced.
    func refuse(_ numbers: [UInt32], now: NIODeadline) throws(FrameViolation) {
        for number in numbers {
            try open(number, .stopped, now: now)
            replies.append(.stop(number))
        }
    }

    private func open(_ number: UInt32, _ state: IncomingTransfer.State, now: NIODeadline) throws(FrameViolation) {
        guard numbers.use(number) else { throw .badNumber(number, "was used before") }
        opened += 1
        let transfer = IncomingTransfer(number, state, age: opened, withCredit: withCredit, now: now)
        transfers[number] = transfer
        let stopped = transfers.values.count(where: \.isStopped)
        if stopped > Self.stoppedLimit { throw .tooManyStopped }
        if transfers.count - stopped > limits.openTransfers {
            give(up: transfer, because: .tooManyTransfers(over: limits.openTransfers))
        }
    }

    // MARK: Receiving

    /// - Returns: a message whose last part this is.
    func receive(_ frame: Frame, now: NIODeadline) throws(FrameViolation) -> ByteBuffer? {
        var payload = frame.payload
        guard let number = payload.readInteger(as: UInt32.self) else { return nil }
        switch frame.kind {
        case .attachmentChunk, .lastAttachmentChunk:
            guard let transfer = transfers[number] else { throw .badNumber(number, "was not announced, or is over") }
            if case .message = transfer.state { throw .badNumber(number, "is a message in parts") }
            try add(payload, to: transfer, now: now)
        case .part, .lastPart:
            if transfers[number] == nil { try open(number, .message(ByteBuffer()), now: now) }
            guard let transfer = transfers[number] else { return nil }
            if case .attachment = transfer.state { throw .badNumber(number, "is an attachment") }
            try add(payload, to: transfer, now: now)
        case .aborted: try abort(number, reason: payload)
        case .message, .compressedMessage, .credit, .stop: break
        }
        return frame.kind.isLast ? finish(number) : nil
    }

    private func add(
        _ payload: ByteBuffer, to transfer: IncomingTransfer, now: NIODeadline
    ) throws(FrameViolation) {
        let count = payload.readableBytes
        try transfer.count(count, now: now)
        guard !transfer.isStopped else { return }
        if case .message(let text) = transfer.state, text.readableBytes + count > limits.frameBytes {
            throw .tooLong(text.readableBytes + count, limit: limits.frameBytes)
        }
        // Too much for all: at the cost of the newest, which may be this one.
        while !transfer.isStopped, !budget.take(count) {
            guard let newest = transfers.values.filter({ !$0.isStopped }).max(by: { $0.age < $1.age }) else { return }
            let isTooLarge = transfer.heldWithItsMessage + count > budget.limit
            give(up: newest, because: isTooLarge ? .attachmentTooLarge(over: budget.limit) : .tooManyBytes)
        }
        guard !transfer.isStopped else { return }
        transfer.append(payload)
        if let grant = transfer.grant() { replies.append(.credit(transfer.number, bytes: grant)) }
    }

    private func finish(_ number: UInt32) -> ByteBuffer? {
        guard let transfer = transfers.removeValue(forKey: number) else { return nil }
        switch transfer.state {
        case .message(let text):
            budget.release(text.readableBytes)
            return text
        case .attachment(let data, let checksum, let attachments, let index):
            // What it holds is released by who uses it.
            attachments.complete(Attachment(data, crc32: attachments.areChecked ? checksum.crc32 : nil), at: index)
            return nil
        case .stopped: return nil
        }
    }

    // MARK: Ending early

    private func abort(_ number: UInt32, reason: ByteBuffer) throws(FrameViolation) {
        guard let transfer = transfers.removeValue(forKey: number) else {
            throw .badNumber(number, "was not announced, or is over")
        }
        let state = transfer.state
        drop(transfer)
        if case .attachment(_, _, let attachments, _) = state {
            fail(attachments, RPCError(abortedBecause: String(buffer: reason)))
        }
    }

    /// Does not want what has not come of these attachments.
    func stop(_ attachments: IncomingAttachments) {
        attachments.forget()
        fail(attachments, .stalled)
    }

    /// Nothing will come any more.
    func end(_ error: RPCError) {
        let open = transfers.values
        transfers = [:]
        for transfer in open {
            let state = transfer.state
            drop(transfer)
            if case .attachment(_, _, let attachments, _) = state { fail(attachments, error) }
        }
    }

    /// Ends what has made no progress for too long.
    func expire(now: NIODeadline) {
        for transfer in transfers.values where !transfer.isStopped && transfer.lastProgress + limits.frameTimeout <= now
        {
            give(up: transfer, because: .stalled)
        }
    }

    /// When `expire` has something to look at.
    var nextExpiry: NIODeadline? {
        transfers.isEmpty
            ? nil
            : transfers.values.lazy.filter { !$0.isStopped }.map(\.lastProgress).min().map { $0 + limits.frameTimeout }
    }

    private func give(up transfer: IncomingTransfer, because error: RPCError) {
        switch transfer.state {
        case .attachment(_, _, let attachments, _): fail(attachments, error)
        case .message:
            stop(transfer)
            refusals.append(error)
        case .stopped: break
        }
    }

    /// One attachment that does not come makes the others of its message worthless.
    private func fail(_ attachments: IncomingAttachments, _ error: RPCError) {
        for number in attachments.numbers {
            if let transfer = transfers[number], !transfer.isStopped { stop(transfer) }
        }
        budget.release(attachments.heldBytes)
        attachments.fail(error)
    }

    private func stop(_ transfer: IncomingTransfer) {
        drop(transfer)
        replies.append(.stop(transfer.number))
    }

    private func drop(_ transfer: IncomingTransfer) {
        budget.release(transfer.held)
        transfer.stop()
    }
}

extension Frame.Kind {
    fileprivate var isLast: Bool { self == .lastAttachmentChunk || self == .lastPart }
}

extension RPCError {
    fileprivate static func tooManyTransfers(over limit: Int) -> RPCError {
        .overloaded("more than \(limit) attachments and parts are on their way")
    }

    fileprivate static let tooManyBytes = overloaded("too many bytes of attachments and parts are on their way")

    fileprivate static let stalled = RPCError(
        .invalidRequest, "an attachment or a message in parts took too long to go on", begun: false)

    fileprivate static func attachmentTooLarge(over limit: Int) -> RPCError {
        RPCError(.tooLarge, "the attachments of one message are over the limit of \(limit) bytes", begun: false)
    }

    /// What the sender of an attachment gave as its reason: an error kind, or its own words.
    fileprivate init(abortedBecause reason: String) {
        let kind = ErrorKind(rawValue: reason) ?? .unavailable
        self.init(kind, "its sender gave up an attachment (\(reason.isEmpty ? "no reason given" : reason))")
    }
}
