import Foundation
import NIOCore

/// The transfers from a peer: messages in parts, and attachments. Lives on the event loop.
final class IncomingTransfers {
    enum Reply: Equatable {
        case credit(UInt32, bytes: Int)
        case stop(UInt32)
    }

    /// Errors of messages in parts that were stopped. The calls that they belong to are unknown.
    var refusals: CircularBuffer<RPCError> = []

    /// Whether the peer waits for grants.
    var withCredit = false

    private struct Incoming {
        var transfer: Transfer

        /// The attachments of the same message; nil for a text.
        let group: IncomingAttachments?

        /// When bytes of it, or of another attachment of its message, last arrived.
        var lastProgress: NIODeadline
    }

    private let limits: Limits
    private let budget: AssemblyBudget
    private let reply: (Reply) -> Void
    private var numbers = IncomingNumbers()
    private var open: [UInt32: Incoming] = [:]

    /// Stopped transfers that have not ended; bytes of them that still arrive are discarded.
    private var stopped: [UInt32: Transfer] = [:]

    /// How many messages in parts the peer has aborted.
    private(set) var abortedMessages = 0

    /// For empty chunks and parts in a row that do not end their transfer.
    private var empty = NoEffectAllowance()

    /// The maximum number of transfers in `stopped`.
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
            // One attachment was over a limit, so all others of its message have failed too.
            if attachments.isOver { return try refuse(Array(attachments.numbers[index...])) }
            try begin(number, .attachment(Data(), attachments.areChecked ? Checksum() : nil), of: attachments, now: now)
        }
    }

    /// Refuses the attachments that a message has announced.
    func refuse(_ numbers: [UInt32]) throws(FrameViolation) {
        for number in numbers {
            stopped[number] = try transfer(number, .text(ByteBuffer()))
            reply(.stop(number))
        }
    }

    private func begin(
        _ number: UInt32, _ content: Transfer.Content, of group: IncomingAttachments?, now: NIODeadline
    ) throws(FrameViolation) {
        open[number] = Incoming(transfer: try transfer(number, content), group: group, lastProgress: now)
        if open.count > limits.openTransfers { fail(number, .tooManyTransfers(over: limits.openTransfers)) }
    }

    private func transfer(_ number: UInt32, _ content: Transfer.Content) throws(FrameViolation) -> Transfer {
        guard numbers.use(number) else { throw .badNumber(number, "was used before") }
        guard stopped.count < Self.stoppedLimit else { throw .tooManyStopped }
        return Transfer(content, number: number, withCredit: withCredit)
    }

    // MARK: Receiving

    /// - Returns: the message, if this was its last part.
    func receive(_ frame: Frame, now: NIODeadline) throws(FrameViolation) -> ByteBuffer? {
        var payload = frame.payload
        guard let number = payload.readInteger(as: UInt32.self) else { return nil }
        let isPart = frame.kind == .part || frame.kind == .lastPart
        let isLast = frame.kind == .lastPart || frame.kind == .lastAttachmentChunk
        if frame.kind != .aborted {
            if payload.readableBytes == 0, !isLast { try empty.take() } else { empty = NoEffectAllowance() }
        }
        if isPart, open[number] == nil, stopped[number] == nil {
            try begin(number, .text(ByteBuffer()), of: nil, now: now)
        }
        if stopped[number] != nil {
            if frame.kind != .aborted { try stopped[number]?.count(payload.readableBytes) }
            if isLast || frame.kind == .aborted { stopped[number] = nil }
            return nil
        }
        // Only the group is copied: a second reference to the bytes would make every payload copy them.
        guard let group = open[number].map(\.group) else { throw .badNumber(number, "was not announced, or has ended") }
        if frame.kind == .aborted {
            budget.release(open.removeValue(forKey: number)?.transfer.content.count ?? 0)
            if let group {
                fail(group, RPCError(abortedBecause: String(buffer: payload)))
            } else {
                abortedMessages += 1
            }
            return nil
        }
        guard isPart == (group == nil) else {
            throw .badNumber(number, isPart ? "is an attachment" : "is a message in parts")
        }
        try add(payload, isLast: isLast, to: number, of: group, now: now)
        return isLast ? complete(number) : nil
    }

    private func add(
        _ payload: ByteBuffer, isLast: Bool, to number: UInt32, of group: IncomingAttachments?, now: NIODeadline
    ) throws(FrameViolation) {
        let count = payload.readableBytes
        try open[number]?.transfer.count(count)
        // An empty payload is no progress.
        if count > 0 { for sibling in group?.numbers ?? [number] { open[sibling]?.lastProgress = now } }
        let length = count + (open[number]?.transfer.content.count ?? 0)
        if group == nil, length > limits.frameBytes { throw .tooLong(length, limit: limits.frameBytes) }
        // When the budget is exceeded, the newest transfer fails, possibly this one.
        while !budget.take(count) {
            if length + (group?.heldBytes ?? 0) > budget.limit {
                fail(number, .attachmentTooLarge(over: budget.limit))
            } else {
                fail(open.keys.max() ?? number, .tooManyBytes)
            }
            if open[number] == nil { return }
        }
        open[number]?.transfer.content.append(payload, isLast: isLast)
        if let grant = open[number]?.transfer.nextGrant() { reply(.credit(number, bytes: grant)) }
    }

    private func complete(_ number: UInt32) -> ByteBuffer? {
        // The last payload may have exceeded the budget; the transfer has ended nevertheless.
        stopped[number] = nil
        guard let incoming = open.removeValue(forKey: number) else { return nil }
        switch incoming.transfer.content {
        case .text(let text):
            budget.release(text.readableBytes)
            return text
        case .attachment(let data, let checksum):
            // From here on, the user of the attachment accounts for its bytes.
            incoming.group?.complete(Attachment(data, crc32: checksum?.crc32), number: number)
            return nil
        }
    }

    // MARK: Ending early

    /// Stops those of these attachments that are incomplete.
    func stop(_ attachments: IncomingAttachments) {
        attachments.forget()
        fail(attachments, .stalled)
    }

    /// Fails all transfers, because the peer will send nothing more.
    func end(_ error: RPCError) {
        let all = open.values
        open = [:]
        for incoming in all { budget.release(incoming.transfer.content.count) }
        for incoming in all { if let group = incoming.group { fail(group, error) } }
    }

    /// Fails the transfers that have made no progress for too long.
    func expire(now: NIODeadline) {
        for (number, incoming) in open where incoming.lastProgress + limits.frameTimeout <= now {
            fail(number, .stalled)
        }
    }

    /// When to call `expire`.
    var nextExpiry: NIODeadline? {
        open.isEmpty ? nil : open.values.lazy.map(\.lastProgress).min().map { $0 + limits.frameTimeout }
    }

    private func fail(_ number: UInt32, _ error: RPCError) {
        if let group = open[number]?.group { return fail(group, error) }
        guard drop(number) else { return }
        reply(.stop(number))
        refusals.append(error)
    }

    /// Fails all attachments of a message: without one of them, the message is useless.
    private func fail(_ group: IncomingAttachments, _ error: RPCError) {
        let unfinished = group.numbers.filter(drop)
        budget.release(group.heldBytes)
        group.fail(error)
        for number in unfinished { reply(.stop(number)) }
    }

    /// - Returns: whether it was open.
    private func drop(_ number: UInt32) -> Bool {
        guard var transfer = open.removeValue(forKey: number)?.transfer else { return false }
        budget.release(transfer.content.count)
        transfer.content = .text(ByteBuffer())
        stopped[number] = transfer
        return true
    }
}

extension RPCError {
    fileprivate static func tooManyTransfers(over limit: Int) -> RPCError {
        .overloaded("more than \(limit) attachments and parts under way")
    }

    fileprivate static let tooManyBytes = overloaded("too many bytes of attachments and parts under way")

    fileprivate static let stalled = RPCError(
        .invalidRequest, "an attachment or a message in parts made no progress in time", begun: false)

    fileprivate static func attachmentTooLarge(over limit: Int) -> RPCError {
        RPCError(.tooLarge, "the attachments of one message are over the limit of \(limit) bytes", begun: false)
    }

    /// - Parameter reason: the sender's reason: an error kind or free text.
    fileprivate init(abortedBecause reason: String) {
        let kind = ErrorKind(rawValue: reason) ?? .unavailable
        self.init(kind, "the sender aborted an attachment (\(reason.isEmpty ? "no reason given" : reason))")
    }
}
