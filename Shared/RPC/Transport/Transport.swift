import NIOCore

/// The transport of a connection, at both of its ends: messages in and out, in whatever frames they travel. Lives on the
/// channel's event loop.
final class Transport {
    let channel: any Channel
    let writer: FrameWriter

    /// The bytes that are held until they are complete and used.
    let budget: AssemblyBudget

    private let frameLimit: Int
    private let frameTimeout: TimeAmount

    /// When the frame that has begun must be complete. Idle time between frames is not limited.
    private var frameDeadline: NIODeadline?
    private var decoder: FrameDecoder
    private let transfers: IncomingTransfers

    enum Received {
        case message(ByteBuffer)
        /// A message that was not received; which one is unknown.
        case refused(RPCError)
    }

    /// Large enough for a message of `Limits.chunkBytes` to be read at once.
    private static let receiveBuffers = AdaptiveRecvByteBufferAllocator(
        minimum: 64, initial: 2_048, maximum: 2 * Limits.chunkBytes)

    init(channel: any Channel, executor: LoopExecutor, limits: Limits) {
        self.channel = channel
        frameLimit = limits.frameBytes
        frameTimeout = limits.frameTimeout
        let writer = FrameWriter(channel: channel, executor: executor, frameLimit: limits.frameBytes)
        self.writer = writer
        decoder = FrameDecoder(limit: limits.frameBytes)
        budget = AssemblyBudget(
            limit: limits.assembledBytes, processLimit: limits.assembledBytesPerProcess, process: executor.assembly)
        transfers = IncomingTransfers(limits: limits, budget: budget) { writer.send($0) }
        try? channel.syncOptions?.setOption(.recvAllocator, value: Self.receiveBuffers)
    }

    /// What was agreed on with the peer.
    var features: Features {
        get { decoder.features }
        set {
            decoder.features = newValue
            writer.features = newValue
            transfers.withCredit = newValue.contains(.credit)
        }
    }

    /// Whether a frame has begun and is not complete.
    var isInsideFrame: Bool { decoder.isInsideFrame }

    /// The bytes that were received and not decoded yet.
    var undecodedBytes: Int { decoder.undecodedBytes }

    // MARK: Reading

    func append(_ bytes: ByteBuffer) { decoder.append(bytes) }

    /// The next message, or nil when more bytes are needed.
    func next() throws(FrameViolation) -> Received? {
        while transfers.refusals.isEmpty, let frame = try decoder.next() {
            // What follows in the buffer is another frame, with time of its own.
            frameDeadline = nil
            if let text = try receive(frame) { return .message(text) }
        }
        if isInsideFrame { frameDeadline = frameDeadline ?? channel.eventLoop.now + frameTimeout }
        return transfers.refusals.popFirst().map(Received.refused)
    }

    /// - Returns: the message that this frame completes.
    private func receive(_ frame: Frame) throws(FrameViolation) -> ByteBuffer? {
        var payload = frame.payload
        switch frame.kind {
        case .message: return payload
        case .compressedMessage: return try decompress(payload)
        case .credit:
            guard let (number, bytes) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else { return nil }
            try writer.grant(Int(bytes), to: number)
        case .stop:
            if let number = payload.readInteger(as: UInt32.self) { writer.stop(number) }
        case .attachmentChunk, .lastAttachmentChunk, .part, .lastPart, .aborted:
            return try transfers.receive(frame, now: channel.eventLoop.now)
        }
        return nil
    }

    private func decompress(_ payload: ByteBuffer) throws(FrameViolation) -> ByteBuffer? {
        do throws(RPCError) {
            return try Zlib.decompress(payload, limit: frameLimit)
        } catch {
            guard error.kind != .tooLarge else { throw .inflatesTooLong(limit: frameLimit) }
            transfers.refusals.append(error)
            return nil
        }
    }

    // MARK: Attachments

    /// Expects the attachments that a message has announced.
    func receive(_ attachments: IncomingAttachments) throws(FrameViolation) {
        try transfers.expect(attachments, now: channel.eventLoop.now)
    }

    /// Stops the attachments that a message has announced.
    func refuse(_ attachments: [UInt32]) throws(FrameViolation) {
        if !attachments.isEmpty { try transfers.refuse(attachments) }
    }

    /// Stops those of these attachments that are not complete.
    func stop(_ attachments: IncomingAttachments) { transfers.stop(attachments) }

    // MARK: Time

    /// Fails the transfers that have made no progress for too long.
    /// - Throws: once, when the frame that has begun is not complete in time.
    func expire(now: NIODeadline) throws(FrameViolation) {
        transfers.expire(now: now)
        guard let frameDeadline, frameDeadline <= now else { return }
        self.frameDeadline = nil
        throw .tooSlow
    }

    /// When to call `expire`.
    var nextExpiry: NIODeadline? { [transfers.nextExpiry, frameDeadline].compactMap(\.self).min() }

    /// The messages that were refused since the last message.
    func takeRefusals() -> some Sequence<RPCError> {
        defer { transfers.refusals = [] }
        return transfers.refusals
    }

    // MARK: Ending

    /// The peer will send nothing more.
    func endReading(_ error: RPCError) {
        frameDeadline = nil
        transfers.end(error)
    }

    /// The connection is over.
    func end(_ error: RPCError) {
        endReading(error)
        writer.end()
    }
}
