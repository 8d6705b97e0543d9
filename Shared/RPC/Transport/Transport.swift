import NIOCore

/// The transport of a connection, on either side: sends and receives messages, and hides the frames that carry them.
/// Lives on the channel's event loop.
final class Transport {
    let channel: any Channel
    let writer: FrameWriter
    private let executor: LoopExecutor

    /// The budget for bytes that are buffered until they are complete and used.
    let budget: AssemblyBudget

    private let frameLimit: Int
    private let frameTimeout: TimeAmount

    /// When the current incomplete frame times out. Idle time between frames is not limited.
    private var frameDeadline: NIODeadline?
    private var decoder: FrameDecoder
    private let transfers: IncomingTransfers

    enum Received {
        case message(ByteBuffer)
        /// A message that was not received; the call that it belongs to is unknown.
        case refused(RPCError)
    }

    /// The channel's option `recvAllocator`: large enough to read a message of `Limits.chunkBytes` at once.
    static let receiveBuffers = AdaptiveRecvByteBufferAllocator(
        minimum: 64, initial: 2_048, maximum: 2 * Limits.chunkBytes)

    init(channel: any Channel, executor: LoopExecutor, limits: Limits) {
        self.channel = channel
        self.executor = executor
        frameLimit = limits.frameBytes
        frameTimeout = limits.frameTimeout
        let writer = FrameWriter(channel: channel, executor: executor, frameLimit: limits.frameBytes)
        self.writer = writer
        decoder = FrameDecoder(limit: limits.frameBytes)
        budget = AssemblyBudget(
            limit: limits.assembledBytes, processLimit: limits.assembledBytesPerProcess, process: executor.assembly)
        transfers = IncomingTransfers(limits: limits, budget: budget) { writer.send($0) }
    }

    /// The negotiated features.
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

    /// How many messages in parts the peer has aborted.
    var abortedMessages: Int { transfers.abortedMessages }

    func append(_ bytes: ByteBuffer) { decoder.append(bytes) }

    /// The next message, or nil when more bytes are needed.
    func next() throws(FrameViolation) -> Received? {
        while transfers.refusals.isEmpty, let frame = try decoder.next() {
            // Bytes that remain in the buffer belong to another frame, which has its own deadline.
            frameDeadline = nil
            if let text = try receive(frame) { return .message(text) }
        }
        if isInsideFrame { frameDeadline = frameDeadline ?? executor.readClock() + frameTimeout }
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
            if let number = payload.readInteger(as: UInt32.self) { try writer.stop(number) }
        case .attachmentChunk, .lastAttachmentChunk, .part, .lastPart, .aborted:
            return try transfers.receive(frame, now: executor.readClock())
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
        try transfers.expect(attachments, now: executor.readClock())
    }

    /// Refuses the attachments that a message has announced.
    func refuse(_ attachments: [UInt32]) throws(FrameViolation) {
        if !attachments.isEmpty { try transfers.refuse(attachments) }
    }

    /// Stops those of these attachments that are incomplete.
    func stop(_ attachments: IncomingAttachments) { transfers.stop(attachments) }

    // MARK: Time

    /// Fails the transfers that have made no progress for too long.
    /// - Throws: once, when the current frame was not complete in time.
    func expire(now: NIODeadline) throws(FrameViolation) {
        transfers.expire(now: now)
        guard let frameDeadline, frameDeadline <= now else { return }
        self.frameDeadline = nil
        throw .tooSlow
    }

    /// When to call `expire`.
    var nextExpiry: NIODeadline? { [transfers.nextExpiry, frameDeadline].compactMap(\.self).min() }

    /// Removes and returns the errors of messages that were refused since the last message.
    func takeRefusals() -> some Sequence<RPCError> {
        defer { transfers.refusals = [] }
        return transfers.refusals
    }

    // MARK: Ending

    /// Fails all incoming transfers, because the peer will send nothing more.
    func endReading(_ error: RPCError) {
        frameDeadline = nil
        transfers.end(error)
    }

    /// Ends all transfers, because the connection has ended.
    func end(_ error: RPCError) {
        endReading(error)
        writer.end()
    }
}
