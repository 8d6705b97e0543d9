import Foundation
import NIOCore

/// The transfers of a peer: messages in parts, and attachments. Lives on the event loop.
final class IncomingTransfers {
    enum Reply: Equatable {
        case credit(UInt32, bytes: Int)
        case stop(UInt32)
    }

    /// Why messages in parts were stopped. Which calls they were is unknown.
    var refusals: CircularBuffer<RPCError> = []

    /// Whether the peer waits for grants.
    var withCredit = false

    private let limits: Limits
    private let budget: AssemblyBudget
    private let reply: (Reply) -> Void
    private var numbers = IncomingNumbers()
    private var transfers: [UInt32: Incoming] = [:]
    private var opened = 0

    /// A transfer that has not ended.
    private final class Incoming {
        let number: UInt32

        /// Counts up over all transfers of a connection.
        let age: Int
        var transfer: Transfer
        var checksum = Checksum()

        /// What an attachment belongs to; nil for a text.
        let group: IncomingAttachments?

        /// Whether we have told the peer to stop it: what still arrives is discarded.
        private(set) var isStopped = false

        private var lastBytes: NIODeadline

        init(_ number: UInt32, _ transfer: Transfer, of group: IncomingAttachments?, age: Int, now: NIODeadline) {
            self.number = number
            self.transfer = transfer
            self.group = group
            self.age = age
            lastBytes = now
        }

        /// When its message made progress last.
        var lastProgress: NIODeadline { max(lastBytes, group?.lastProgress ?? lastBytes) }

        func notePayload(_ bytes: Int, now: NIODeadline) throws(FrameViolation) {
            // An empty payload is no progress.
            if bytes > 0 {
                lastBytes = now
                group?.lastProgress = now
            }
            try transfer.count(bytes)
        }

        func stop() {
            isStopped = true
            transfer.content = .text(ByteBuffer())
        }
    }

    /// How many stopped transfers that have not ended a peer may have.
    static let stoppedLimit = 1_024

    /// - Parameter reply: sends a frame to the peer.
    init(limits: Limits, budget: AssemblyBudget, reply: @escaping (Reply) -> Void) {
        self.limits = limits
        self.budget = budget
        self.reply = reply
    }

    // MARK: Opening

    /// Expects the attachments that a message has announced.
    func expect(_ attachments: IncomingAttachments, now: NIODeadline) throws(FrameViolation) {
        for (index, number) in attachments.numbers.enumerated() {
            // The one that was over a limit has failed the others with it.
            if attachments.isOver { return try refuse(Array(attachments.numbers[index...]), now: now) }
            try begin(number, .attachment(Data()), of: attachments, now: now)
        }
    }

    /// Stops the attachments that a message has announced.
    func refuse(_ numbers: [UInt32], now: NIODeadline) throws(FrameViolation) {
        for number in numbers {
            try begin(number, .attachment(Data()), of: nil, isStopped: true, now: now)
            reply(.stop(number))
        }
    }

    private func begin(
        _ number: UInt32, _ content: Transfer.Content, of group: IncomingAttachments?, isStopped: Bool = false,
        now: NIODeadline
    ) throws(FrameViolation) {
        guard numbers.use(number) else { throw .badNumber(number, "was used before") }
        opened += 1
        let transfer = Transfer(content, number: number, withCredit: withCredit)
        let incoming = Incoming(number, transfer, of: group, age: opened, now: now)
        if isStopped { incoming.stop() }
        transfers[number] = incoming
        let stopped = transfers.values.count(where: \.isStopped)
        if stopped > Self.stoppedLimit { throw .tooManyStopped }
        if transfers.count - stopped > limits.openTransfers {
            fail(incoming, .tooManyTransfers(over: limits.openTransfers))
        }
    }

    // MARK: Receiving

    /// - Returns: a message whose last part this is.
    func receive(_ frame: Frame, now: NIODeadline) throws(FrameViolation) -> ByteBuffer? {
        var payload = frame.payload
        guard let number = payload.readInteger(as: UInt32.self) else { return nil }
        switch frame.kind {
        case .part, .lastPart:
            if transfers[number] == nil { try begin(number, .text(ByteBuffer()), of: nil, now: now) }
        case .attachmentChunk, .lastAttachmentChunk: break
        case .aborted:
            try abort(number, reason: payload)
            return nil
        case .message, .compressedMessage, .credit, .stop: return nil
        }
        guard let incoming = transfers[number] else { throw .badNumber(number, "was not announced, or is over") }
        let isText = frame.kind == .part || frame.kind == .lastPart
        guard incoming.isStopped || isText == (incoming.group == nil) else {
            throw .badNumber(number, isText ? "is an attachment" : "is a message in parts")
        }
        let isLast = frame.kind == .lastPart || frame.kind == .lastAttachmentChunk
        try add(payload, isLast: isLast, to: incoming, now: now)
        return isLast ? complete(number) : nil
    }

    private func add(
        _ payload: ByteBuffer, isLast: Bool, to incoming: Incoming, now: NIODeadline
    ) throws(FrameViolation) {
        let count = payload.readableBytes
        try incoming.notePayload(count, now: now)
        guard !incoming.isStopped else { return }
        let length = incoming.transfer.content.count + count
        if incoming.group == nil, length > limits.frameBytes { throw .tooLong(length, limit: limits.frameBytes) }
        // Over the budget the newest transfer fails, which may be this one.
        while !incoming.isStopped, !budget.take(count) {
            let newest = transfers.values.filter { !$0.isStopped }.max { $0.age < $1.age }
            let isTooLarge = length + (incoming.group?.heldBytes ?? 0) > budget.limit
            fail(newest ?? incoming, isTooLarge ? .attachmentTooLarge(over: budget.limit) : .tooManyBytes)
        }
        guard !incoming.isStopped else { return }
        incoming.transfer.content.append(payload, isLast: isLast)
        if incoming.group?.areChecked == true { payload.withUnsafeReadableBytes { incoming.checksum.add($0) } }
        if let grant = incoming.transfer.nextGrant() { reply(.credit(incoming.number, bytes: grant)) }
    }

    private func complete(_ number: UInt32) -> ByteBuffer? {
        guard let incoming = transfers.removeValue(forKey: number), !incoming.isStopped else { return nil }
        switch incoming.transfer.content {
        case .text(let text):
            budget.release(text.readableBytes)
            return text
        case .attachment(let data):
            // The user of the attachment releases what it holds.
            let checksum = incoming.group?.areChecked == true ? incoming.checksum.crc32 : nil
            incoming.group?.complete(Attachment(data, crc32: checksum), number: number)
            return nil
        }
    }

    // MARK: Ending early

    private func abort(_ number: UInt32, reason: ByteBuffer) throws(FrameViolation) {
        guard let incoming = transfers.removeValue(forKey: number) else {
            throw .badNumber(number, "was not announced, or is over")
        }
        drop(incoming)
        if let group = incoming.group { fail(group, RPCError(abortedBecause: String(buffer: reason))) }
    }

    /// Stops those of these attachments that are not complete.
    func stop(_ attachments: IncomingAttachments) {
        attachments.forget()
        fail(attachments, .stalled)
    }

    /// The peer will send nothing more.
    func end(_ error: RPCError) {
        let open = transfers.values
        transfers = [:]
        for incoming in open {
            drop(incoming)
            if let group = incoming.group { fail(group, error) }
        }
    }

    /// Fails the transfers that have made no progress for too long.
    func expire(now: NIODeadline) {
        for incoming in transfers.values where incoming.lastProgress + limits.frameTimeout <= now {
            fail(incoming, .stalled)
        }
    }

    /// When to call `expire`.
    var nextExpiry: NIODeadline? {
        guard !transfers.isEmpty else { return nil }
        let oldest = transfers.values.lazy.filter { !$0.isStopped }.map(\.lastProgress).min()
        return oldest.map { $0 + limits.frameTimeout }
    }

    private func fail(_ incoming: Incoming, _ error: RPCError) {
        guard !incoming.isStopped else { return }
        if let group = incoming.group { return fail(group, error) }
        drop(incoming)
        reply(.stop(incoming.number))
        refusals.append(error)
    }

    /// Without one of its attachments a message is of no use.
    private func fail(_ group: IncomingAttachments, _ error: RPCError) {
        let unfinished = group.numbers.compactMap { transfers[$0] }.filter { !$0.isStopped }
        unfinished.forEach(drop)
        budget.release(group.heldBytes)
        group.fail(error)
        for incoming in unfinished { reply(.stop(incoming.number)) }
    }

    private func drop(_ incoming: Incoming) {
        guard !incoming.isStopped else { return }
        budget.release(incoming.transfer.content.count)
        incoming.stop()
    }
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

    /// - Parameter reason: of the sender of an attachment: an error kind, or a text of its own.
    fileprivate init(abortedBecause reason: String) {
        let kind = ErrorKind(rawValue: reason) ?? .unavailable
        self.init(kind, "its sender gave up an attachment (\(reason.isEmpty ? "no reason given" : reason))")
    }
}
