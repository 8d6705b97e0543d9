import JSON
import NIOCore

/// The sending half of a connection. It writes the frames of one turn of the event loop at once. Transfers follow frame
/// by frame as the kernel accepts them, so that they do not delay other messages.
///
/// Lives on the channel's event loop.
final class FrameWriter {
    private let channel: any Channel
    private let executor: LoopExecutor

    /// The frames of this turn.
    private var frames = ByteBuffer()
    private let schedule = OutgoingSchedule()
    private var messages = 0

    /// The length of the last message, as an estimate for the next one.
    private var lastLength = 0
    private var isFlushScheduled = false
    private var isFlushing = false
    private var closesAfterFlush: CloseMode?

    /// Set by `close`; later messages are dropped.
    private var isEnding = false

    /// Bytes given to the channel that the kernel has not accepted: of transfers, and in total.
    private var unwrittenTransfers = 0
    private var unwritten = 0

    /// Since when, as far as known, the peer has read nothing although data is waiting.
    private(set) var blockedSince: NIODeadline?

    /// The total of bytes ever given to the channel.
    private var givenBytes = 0

    /// The result of the last `lookForProgress`.
    private var lastProgress: Progress?

    private struct Progress {
        /// How many of the bytes given to the channel the kernel has accepted.
        let taken: Int

        /// The kernel memory of data that the peer has not read; nil when the system does not report it.
        let unread: UInt32?
    }

    private var lastWrite: EventLoopFuture<Void>

    /// The largest message that the peer accepts.
    private(set) var frameLimit: Int

    /// The negotiated features.
    var features: Features = []

    /// Applies the limits that the peer announced; nil for those that it did not announce.
    func keep(toFrames frameBytes: Int?, transfers: Int?, assembledBytes: Int?) {
        if let frameBytes { frameLimit = min(frameLimit, frameBytes) }
        if let transfers { schedule.receiverNumbers = transfers }
        if let assembledBytes { schedule.receiverBytes = assembledBytes }
    }

    /// Called when the kernel has not accepted everything at once, with the start of the blocking.
    var whenBlocked: (NIODeadline) -> Void = { _ in }

    /// Called when the kernel has accepted bytes.
    var whenWritten: () -> Void = {}

    /// The size of the slices in which acceptance by the kernel is counted.
    private static let sliceLength = 256 * 1_024

    /// A larger buffer is not reused for the next turn.
    private static let keptCapacity = 64 * 1_024

    /// The most memory reserved for a message before it is encoded.
    private static let reservedBytes = 1_024 * 1_024

    /// How many bytes of transfers may be queued in the channel, where they delay other messages.
    private static let transfersAhead = 2 * Limits.chunkBytes

    /// How many messages are written at once: enough to share the cost of a system call, but few enough that the peer
    /// handles them while the next ones are encoded.
    private static let messagesPerWrite = 16

    /// Smaller messages are not compressed.
    private static let compressedFrom = 512

    init(channel: any Channel, executor: LoopExecutor, frameLimit: Int) {
        self.channel = channel
        self.executor = executor
        self.frameLimit = frameLimit
        lastWrite = channel.eventLoop.makeSucceededVoidFuture()
    }

    /// The bytes that the kernel has not accepted.
    var queuedBytes: Int { frames.readableBytes + unwritten + schedule.bytes }

    // MARK: Sending

    /// Adds a message.
    /// - Parameter takesAttachments: whether the message may have attachments.
    /// - Returns: nil for a message in one frame, which the next flush writes.
    /// - Throws: `too_large`; nothing is added then.
    @discardableResult
    func send(
        takesAttachments: Bool = false, _ message: (inout JSONWriter) -> Void
    ) throws(RPCError) -> OutgoingMessage? {
        guard !isEnding else { return nil }
        let before = frames.readableBytes
        let attachments = try frames.writeFrame(
            limit: frameLimit, expecting: before == 0 ? min(lastLength, Self.reservedBytes) : 0,
            takesAttachments: takesAttachments && features.contains(.bytes), message)
        let length = frames.readableBytes - before - Frame.headerLength
        lastLength = length
        if attachments.isEmpty {
            // A compressed message is sent whole, whatever its size: this feature trades latency for bandwidth.
            let isCompressed = features.contains(.zlib) && length >= Self.compressedFrom && compressLast(length)
            if isCompressed || length <= Limits.chunkBytes || !features.contains(.parts) {
                wholeMessageAdded()
                return nil
            }
        }
        let text = removeLast(length)
        guard attachments.count <= OutgoingSchedule.attachmentLimit else {
            throw RPCError(
                .tooLarge,
                "\(attachments.count) attachments are over the limit of \(OutgoingSchedule.attachmentLimit)",
                begun: false)
        }
        let whole = length + OutgoingMessage.envelopeBytes(for: attachments.count)
        guard whole <= min(frameLimit, Limits.largestFrameLength) else {
            throw RPCError(
                .tooLarge, "a message of \(whole) bytes is over the limit of \(frameLimit) bytes", begun: false)
        }
        guard !schedule.isExhausted else {
            // Transfer numbers (32 bits) are used up. None may be reused, so a new connection is needed.
            channel.close(promise: nil)
            throw RPCError(.unavailable, "the connection has used up its transfer numbers", begun: false)
        }
        let outgoing = OutgoingMessage(text: text, attachments: attachments, withCredit: features.contains(.credit))
        schedule.add(outgoing)
        // Not flushed at once: the sender sets `whenOver` first.
        scheduleFlush()
        return outgoing
    }

    private func wholeMessageAdded() {
        messages += 1
        // Writing calls `whenWritten`, which may send more.
        if messages >= Self.messagesPerWrite, !isFlushing { flush() } else { scheduleFlush() }
    }

    /// Removes the last frame.
    /// - Returns: its payload.
    private func removeLast(_ length: Int) -> ByteBuffer {
        let start = frames.writerIndex - length
        if frames.readableBytes == Frame.headerLength + length, frames.storageCapacity <= 4 * length {
            // It is the only frame, so the buffer is handed over without copying.
            defer { frames = ByteBuffer() }
            return frames.getSlice(at: start, length: length) ?? ByteBuffer()
        }
        let payload = ByteBuffer(bytes: frames.viewBytes(at: start, length: length) ?? ByteBufferView())
        frames.moveWriterIndex(to: start - Frame.headerLength)
        return payload
    }

    /// Compresses the last frame.
    /// - Returns: false if the compressed frame would not be smaller.
    private func compressLast(_ length: Int) -> Bool {
        let start = frames.writerIndex - length
        guard let payload = frames.getSlice(at: start, length: length), let compressed = Zlib.compress(payload),
            compressed.readableBytes < length
        else { return false }
        frames.moveWriterIndex(to: start - Frame.headerLength)
        frames.writeHeader(.compressedMessage, length: compressed.readableBytes)
        frames.writeImmutableBuffer(compressed)
        return true
    }

    // MARK: Transfers

    func send(_ reply: IncomingTransfers.Reply) {
        switch reply {
        case .credit(let number, let bytes): send(.credit, number, ByteBuffer(integer: UInt32(clamping: bytes)))
        case .stop(let number): send(.stop, number, ByteBuffer())
        }
    }

    /// The peer grants more bytes of a transfer.
    func grant(_ bytes: Int, to number: UInt32) throws(FrameViolation) {
        try schedule.grant(bytes, to: number)
        scheduleFlush()
    }

    /// The peer stops a transfer.
    func stop(_ number: UInt32) throws(FrameViolation) {
        if try schedule.stop(number) { abort(number, because: .cancelled) }
    }

    /// Aborts a message.
    func giveUp(_ message: OutgoingMessage, because kind: ErrorKind) {
        for number in schedule.giveUp(message) { abort(number, because: kind) }
    }

    private func abort(_ number: UInt32, because kind: ErrorKind) {
        send(.aborted, number, ByteBuffer(string: kind.rawValue))
    }

    private func send(_ kind: Frame.Kind, _ number: UInt32, _ rest: ByteBuffer) {
        guard !isEnding else { return }
        frames.writeHeader(kind, length: Frame.numberLength + rest.readableBytes)
        frames.writeInteger(number)
        frames.writeImmutableBuffer(rest)
        scheduleFlush()
    }

    // MARK: Ending

    /// Closes once everything that was added is written, except transfers. Later messages are dropped.
    func close(_ mode: CloseMode) {
        isEnding = true
        schedule.end()
        closesAfterFlush = mode
        scheduleFlush()
    }

    /// Drops all transfers, because the connection has ended.
    func end() { schedule.end() }

    // MARK: Writing

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        executor.flushAfterTasks(self)
    }

    /// Gives everything that may be sent to the channel at once.
    func flush() {
        isFlushScheduled = false
        isFlushing = true
        defer { isFlushing = false }
        messages = 0
        // Messages sent while the channel writes belong to the next flush.
        var written = frames
        frames = ByteBuffer()
        while let slice = written.readSlice(length: min(written.readableBytes, Self.sliceLength)),
            slice.readableBytes > 0
        {
            write(slice, isTransfer: false)
        }
        while unwrittenTransfers < Self.transfersAhead,
            let (header, payload) = schedule.nextFrame(canSendParts: features.contains(.parts))
        {
            channel.write(header, promise: nil)
            write(payload, countedWith: header.readableBytes, isTransfer: true)
        }
        channel.flush()
        if unwritten == 0, frames.readableBytes == 0, written.storageCapacity <= Self.keptCapacity {
            // The channel no longer uses this memory.
            written.clear()
            frames = written
        }
        if let blockedSince { whenBlocked(blockedSince) }
        if let mode = closesAfterFlush {
            closesAfterFlush = nil
            lastWrite.assumeIsolated().whenComplete { [channel] _ in channel.close(mode: mode, promise: nil) }
        }
    }

    /// Asks the kernel whether a blocked write makes progress: the kernel has accepted more bytes, or the peer has read
    /// some of the data in the kernel. The latter counts too, because the kernel accepts more only after most of its
    /// data was read.
    func lookForProgress(now: NIODeadline) {
        guard blockedSince != nil, let options = channel.syncOptions else { return }
        let buffered = (try? options.getOption(.bufferedWritableBytes)) ?? unwritten
        let progress = Progress(taken: givenBytes - buffered, unread: channel.unreadByPeer)
        if let lastProgress, progress.taken > lastProgress.taken || isLess(progress.unread, lastProgress.unread) {
            blockedSince = now
        }
        lastProgress = progress
    }

    private func isLess(_ a: UInt32?, _ b: UInt32?) -> Bool {
        guard let a, let b else { return false }
        return a < b
    }

    /// - Parameter others: bytes written just before, which are counted together with these.
    private func write(_ slice: ByteBuffer, countedWith others: Int = 0, isTransfer: Bool) {
        let count = others + slice.readableBytes
        unwritten += count
        givenBytes += count
        executor.memory.used(count)
        if isTransfer { unwrittenTransfers += count }
        if blockedSince == nil { (blockedSince, lastProgress) = (executor.readClock(), nil) }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.unwritten -= count
            if isTransfer {
                self.unwrittenTransfers -= count
                // Not here: the channel is still writing.
                if !self.schedule.isEmpty { self.scheduleFlush() }
            }
            self.blockedSince = self.unwritten == 0 ? nil : self.executor.readClock()
            self.whenWritten()
        }
        channel.write(slice, promise: promise)
        lastWrite = promise.futureResult
    }
}
