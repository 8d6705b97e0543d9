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
        case message(IncomingMessage)
        /// A message that is not JSON, or neither an object nor a batch.
        case invalid(RPCError)
        /// A message that was not received; the call that it belongs to is unknown.
        case refused(RPCError)
    }

    /// A message that is parsed on another thread, so that it does not delay the loop. What follows it waits.
    private enum Parsing {
        case nothing
        case underWay(bytes: Int)
        case done(Result<Received, FrameViolation>)
    }

    private var parsing = Parsing.nothing

    /// Called when `next` can return again what it could not while `isParsing`.
    var whenParsed: () -> Void = {}

    /// The share of `budget` of the bytes that are not decoded or parsed yet.
    private var countedBytes = 0
    private var isReading = true

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

    /// Adds received bytes. Then call `next` or `leaveMessages`, unless `isParsing`.
    func append(_ bytes: ByteBuffer) {
        decoder.append(bytes)
        if isParsing { leaveMessages() } else { count(0) }
    }

    /// Counts the messages that are received and wait for a later call of `next`. If they are many, the connection is not read until
    /// then.
    func leaveMessages() {
        if decoder.undecodedBytes > Limits.backlog { setReading(false) }
        countBytes()
    }

    /// Whether a message is parsed on another thread. Then `next` returns nil, and `whenParsed` will be called.
    var isParsing: Bool {
        if case .underWay = parsing { return true }
        return false
    }

    /// The next message, or nil when more bytes are needed or `isParsing`.
    func next() throws(FrameViolation) -> Received? {
        if case .done(let outcome) = parsing {
            parsing = .nothing
            return try outcome.get()
        }
        while !isParsing, transfers.refusals.isEmpty, let frame = try decoder.next() {
            // Bytes that remain in the buffer belong to another frame, which has its own deadline.
            frameDeadline = nil
            if let received = try receive(frame) { return received }
        }
        if !isParsing {
            setReading(true)
            if isInsideFrame { frameDeadline = frameDeadline ?? executor.readClock() + frameTimeout }
            decoder.trim()
        }
        countBytes()
        return transfers.refusals.popFirst().map(Received.refused)
    }

    /// - Returns: the message that this frame completes, if it is small.
    private func receive(_ frame: Frame) throws(FrameViolation) -> Received? {
        var payload = frame.payload
        switch frame.kind {
        case .message: return try parse(payload, isCompressed: false)
        case .compressedMessage: return try parse(payload, isCompressed: true)
        case .credit:
            guard let (number, bytes) = payload.readMultipleIntegers(as: (UInt32, UInt32).self) else { return nil }
            try writer.grant(Int(bytes), to: number)
        case .stop:
            if let number = payload.readInteger(as: UInt32.self) { try writer.stop(number) }
        case .attachmentChunk, .lastAttachmentChunk, .part, .lastPart, .aborted:
            guard let text = try transfers.receive(frame, now: executor.readClock()) else { return nil }
            return try parse(text, isCompressed: false)
        }
        return nil
    }

    // MARK: Parsing

    /// - Returns: nil if the message is parsed on another thread.
    private func parse(_ bytes: ByteBuffer, isCompressed: Bool) throws(FrameViolation) -> Received? {
        let limit = frameLimit
        // A compressed text has up to a thousand times as many bytes.
        if bytes.readableBytes <= (isCompressed ? Limits.textOnLoop / 1_024 : Limits.textOnLoop) {
            return try Self.parse(bytes, isCompressed: isCompressed, limit: limit)
        }
        parsing = .underWay(bytes: bytes.readableBytes)
        executor.runBeside {
            Result { () throws(FrameViolation) in try Self.parse(bytes, isCompressed: isCompressed, limit: limit) }
        } whenDone: { outcome in
            self.parsing = .done(outcome)
            self.countBytes()
            self.whenParsed()
        }
        return nil
    }

    private static func parse(
        _ bytes: ByteBuffer, isCompressed: Bool, limit: Int
    ) throws(FrameViolation) -> Received {
        do throws(RPCError) {
            return .message(try MessageParser.parse(isCompressed ? try Zlib.decompress(bytes, limit: limit) : bytes))
        } catch {
            guard error.kind != .tooLarge else { throw .inflatesTooLong(limit: limit) }
            return .invalid(error)
        }
    }

    /// Counts what was received and is not parsed yet. Small buffers are not counted.
    private func countBytes() {
        var bytes = decoder.heldBytes
        if case .underWay(let count) = parsing { bytes += count }
        count(bytes <= Limits.uncountedBytes ? 0 : bytes)
    }

    private func count(_ bytes: Int) {
        let change = bytes - countedBytes
        countedBytes = bytes
        budget.hold(change)
    }

    private func setReading(_ isReading: Bool) {
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        // Fails only when the channel is closed.
        _ = channel.setOption(.autoRead, value: isReading)
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

    /// Fails all incoming transfers, because nothing more is received.
    func endReading(_ error: RPCError) {
        frameDeadline = nil
        decoder.drop()
        setReading(true)
        countBytes()
        transfers.end(error)
    }

    /// Ends all transfers, because the connection has ended.
    func end(_ error: RPCError) {
        endReading(error)
        writer.end()
    }
}
