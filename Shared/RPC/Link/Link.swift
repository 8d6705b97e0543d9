import NIOCore

/// A connection as both of its ends have it: messages in and out, whatever frames they travel in. Lives on the channel's
/// event loop.
final class Link {
    let channel: any Channel
    let outbox: Outbox

    /// What is held until it is complete and used.
    let budget: AssemblyBudget

    private let frameLimit: Int
    private let frameTimeout: TimeAmount

    /// Until when the frame that has begun must be complete. Idle time between frames is not limited.
    private var frameDeadline: NIODeadline?
    private var decoder: FrameDecoder
    private let transfers: IncomingTransfers

    /// What came of reading on.
    enum Received {
        case message(ByteBuffer)
        /// A message that did not come through; what it was, nobody knows.
        case refused(RPCError)
    }

    private var refusals: CircularBuffer<RPCError> = []

    init(channel: any Channel, executor: LoopExecutor, limits: Limits) {
        self.channel = channel
        frameLimit = limits.frameBytes
        frameTimeout = limits.frameTimeout
        outbox = Outbox(channel: channel, executor: executor, frameLimit: limits.frameBytes)
        decoder = FrameDecoder(limit: limits.frameBytes)
        budget = AssemblyBudget(
            limit: limits.assembledBytes, processLimit: limits.assembledBytesPerProcess, process: executor.assembly)
        transfers = IncomingTransfers(
            limits: limits, budget: budget)
    }

    /// What was agreed on with the peer.
    var features: Features {
        get { decoder.features }
        set {
            decoder.features = newValue
            outbox.features = newValue
            transfers.withCredit = newValue.contains(.credit)
        }
    }

    /// Whether a frame has begun and is not complete.
    var isInsideFrame: Bool { decoder.isInsideFrame }

    // MARK: Reading

    func append(_ bytes: ByteBuffer) { decoder.append(bytes) }

    /// The next message, or nil when more bytes are needed.
    func next() throws(FrameViolation) -> Received? {
        while refusals.isEmpty, let frame = try decoder.next() {
            // What follows in the buffer is another frame, with time of its own.
            frameDeadline = nil
            if let text = try receive(frame) { return .message(text) }
        }
        if isInsideFrame { frameDeadline = frameDeadline ?? channel.eventLoop.now + frameTimeout }
        return refusals.popFirst().map(Received.refused)
    }

    /// - Returns: the message that this frame completes.
    private func receive(_ frame: Frame) throws(FrameViolation) -> ByteBuffer? {
        var payload = frame.payload
        switch frame.kind {
        case .message: return payload
        case .compressedMessage: return try decompress(payload)
        case .credit:
            guard let number = payload.readInteger(as: UInt32.self), let bytes = payload.readInteger(as: UInt32.self)
            else { return nil }
            try outbox.grant(Int(bytes), to: number)
            return nil
        case .stop:
            if let number = payload.readInteger(as: UInt32.self) { outbox.stop(number) }
            return nil
        case .attachmentChunk, .lastAttachmentChunk, .part, .lastPart, .aborted:
            defer { reply() }
            return try transfers.receive(frame, now: channel.eventLoop.now)
        }
    }

    private func decompress(_ payload: ByteBuffer) throws(FrameViolation) -> ByteBuffer? {
        do throws(RPCError) {
            return try Zlib.decompress(payload, limit: frameLimit)
        } catch {
            guard error.kind != .tooLarge else { throw .inflatesTooLong(limit: frameLimit) }
            refusals.append(error)
            return nil
        }
    }

    // MARK: Attachments

    /// Expects the attachments that a message has announced.
    func receive(_ attachments: IncomingAttachments) throws(FrameViolation) {
        defer { reply() }
        try transfers.open(attachments, now: channel.eventLoop.now)
    }

    /// Does not want the attachments that a message has announced.
    func refuse(_ attachments: [UInt32]) throws(FrameViolation) {
        guard !attachments.isEmpty else { return }
        defer { reply() }
        try transfers.refuse(attachments, now: channel.eventLoop.now)
    }

    /// Does not want what has not come of these attachments.
    func stop(_ attachments: IncomingAttachments) {
        transfers.stop(attachments)
        reply()
    }

    /// Ends what has made no progress for too long.
    /// - Throws: once, when the frame that has begun is one of these.
    func expire(now: NIODeadline) throws(FrameViolation) {
        transfers.expire(now: now)
        reply()
        guard let frameDeadline, frameDeadline <= now else { return }
        self.frameDeadline = nil
        throw .tooSlow
    }

    /// What has not come through since the last message.
    func takeRefusals() -> some Sequence<RPCError> {
        defer { refusals = [] }
        return refusals
    }

    /// When `expire` has something to look at.
    var nextExpiry: NIODeadline? { [transfers.nextExpiry, frameDeadline].compactMap(\.self).min() }

    private func reply() {
        for reply in transfers.takeReplies() { outbox.send(reply) }
        for refusal in transfers.takeRefusals() { refusals.append(refusal) }
    }

    // MARK: Ending

    /// The peer has nothing more to say.
    func endReading(_ error: RPCError) {
        frameDeadline = nil
        transfers.end(error)
    }

    /// The connection is over.
    func end(_ error: RPCError) {
        endReading(error)
        outbox.end()
    }
}
