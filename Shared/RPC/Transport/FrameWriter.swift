import JSON
import NIOCore

/// The writing half of a connection: collects the frames of one turn of the event loop and writes them at once. Transfers
/// follow frame by frame as the kernel takes them, so that they do not delay other messages.
///
/// Lives on the channel's event loop.
final class FrameWriter {
    private let channel: any Channel
    private let executor: LoopExecutor

    /// The frames of this turn.
    private var frames = ByteBuffer()
    private let schedule = OutgoingSchedule()
    private var messages = 0

    /// The length of the last message: the next one is probably as long.
    private var lastLength = 0
    private var isFlushScheduled = false
    private var isFlushing = false
    private var closesAfterFlush: CloseMode?

    /// Set by `close`; later messages are dropped.
    private var isEnding = false

    /// The bytes that were given to the channel and that the kernel has not taken; of transfers, and of all.
    private var unwrittenTransfers = 0
    private var unwritten = 0

    /// Since when, as far as known, the peer has taken nothing though there is something to take.
    private(set) var blockedSince: NIODeadline?

    /// All bytes that were ever given to the channel.
    private var given = 0

    /// What `lookForProgress` saw last.
    private var seen: Progress?

    private struct Progress {
        /// How many of the bytes given to the channel the kernel has accepted.
        let taken: Int

        /// The kernel memory of what the peer has not read; nil when the system does not report it.
        let unread: UInt32?
    }

    private var lastWrite: EventLoopFuture<Void>

    /// The largest message that the peer accepts.
    private(set) var frameLimit: Int

    /// What was agreed on with the peer.
    var features: Features = []

    /// Applies the limits that the peer has announced; nil for those that it has not.
    func keep(toFrames frameBytes: Int?, transfers: Int?, assembledBytes: Int?) {
        if let frameBytes { frameLimit = min(frameLimit, frameBytes) }
        if let transfers { schedule.receiverNumbers = transfers }
        if let assembledBytes { schedule.receiverBytes = assembledBytes }
    }

    /// Called when the kernel has not taken everything at once, with the time since when.
    var whenBlocked: (NIODeadline) -> Void = { _ in }

    /// Called when the kernel has taken something.
    var whenWritten: () -> Void = {}

    /// The bytes of a write that are counted as taken at once.
    private static let sliceLength = 256 * 1_024

    /// Memory larger than this is not kept for the next turn.
    private static let keptCapacity = 64 * 1_024

    /// No more memory than this is reserved for a message before it is encoded.
    private static let reservedBytes = 1_024 * 1_024

    /// How many bytes of transfers may be queued in the channel: other messages wait behind them.
    private static let transfersAhead = 2 * Limits.chunkBytes

    /// How many messages are written at once: enough to share the cost of a system call, few enough that the peer works on
    /// them while the next are encoded.
    private static let messagesPerWrite = 16

    /// Smaller messages are not compressed.
    private static let compressedFrom = 512

    init(channel: any Channel, executor: LoopExecutor, frameLimit: Int) {
        self.channel = channel
        self.executor = executor
        self.frameLimit = frameLimit
        lastWrite = channel.eventLoop.makeSucceededVoidFuture()
    }

    /// The bytes that the kernel has not taken.
    var queuedBytes: Int { frames.readableBytes + unwritten + schedule.bytes }

    // MARK: Sending

    /// Adds a message.
    /// - Parameter takesAttachments: whether bytes may stand beside it.
    /// - Returns: nil for a message in one frame, which the next flush writes.
    /// - Throws: `too_large`, and nothing is added.
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
            // A compressed message goes whole, however large: where that was agreed on, bytes cost more than time.
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
            // After four thousand million numbers: none may be used twice, so a new connection it must be.
            channel.close(promise: nil)
            throw RPCError(.unavailable, "the connection has used up its numbers", begun: false)
        }
        let outgoing = OutgoingMessage(text: text, attachments: attachments, withCredit: features.contains(.credit))
        schedule.add(outgoing)
        // Not at once: the sender sets `whenOver` first.
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
            // Nothing is before it, so it keeps the memory in which it was encoded.
            defer { frames = ByteBuffer() }
            return frames.getSlice(at: start, length: length) ?? ByteBuffer()
        }
        let payload = ByteBuffer(bytes: frames.viewBytes(at: start, length: length) ?? ByteBufferView())
        frames.moveWriterIndex(to: start - Frame.headerLength)
        return payload
    }

    /// Compresses the last frame.
    /// - Returns: false when that would make it no smaller.
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

    /// The peer does not want the rest of a transfer.
    func stop(_ number: UInt32) {
        if schedule.stop(number) { abort(number, because: .cancelled) }
    }

    /// Sends no more of a message.
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

    /// Closes once everything that was added is written, except transfers; nothing is added after this.
    func close(_ mode: CloseMode) {
        isEnding = true
        schedule.end()
        closesAfterFlush = mode
        scheduleFlush()
    }

    /// The connection is over.
    func end() { schedule.end() }

    // MARK: Writing

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        executor.flushAfterTasks(self)
    }

    /// Gives everything that may be sent to the channel, at once.
    func flush() {
        isFlushScheduled = false
        isFlushing = true
        defer { isFlushing = false }
        messages = 0
        // Messages that are sent while the channel writes are of the next flush.
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
            // The channel does not use the memory any more.
            written.clear()
            frames = written
        }
        if let blockedSince { whenBlocked(blockedSince) }
        if let mode = closesAfterFlush {
            closesAfterFlush = nil
            lastWrite.assumeIsolated().whenComplete { [channel] _ in channel.close(mode: mode, promise: nil) }
        }
    }

    /// Asks the kernel whether a blocked write makes progress. It does when the kernel has accepted a part of it, or when the
    /// peer has read some of what the kernel holds: the kernel accepts more only when most of that has been read.
    func lookForProgress(now: NIODeadline) {
        guard blockedSince != nil, let options = channel.syncOptions else { return }
        let buffered = (try? options.getOption(.bufferedWritableBytes)) ?? unwritten
        let progress = Progress(taken: given - buffered, unread: channel.unreadByPeer)
        if let seen, progress.taken > seen.taken || isLess(progress.unread, seen.unread) { blockedSince = now }
        seen = progress
    }

    private func isLess(_ a: UInt32?, _ b: UInt32?) -> Bool {
        guard let a, let b else { return false }
        return a < b
    }

    /// - Parameter others: bytes that were written before these and are counted with them.
    private func write(_ slice: ByteBuffer, countedWith others: Int = 0, isTransfer: Bool) {
        let count = others + slice.readableBytes
        unwritten += count
        given += count
        executor.memory.used(count)
        if isTransfer { unwrittenTransfers += count }
        if blockedSince == nil { (blockedSince, seen) = (channel.eventLoop.now, nil) }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.unwritten -= count
            if isTransfer {
                self.unwrittenTransfers -= count
                // Not from here: the channel is in the middle of writing.
                if !self.schedule.isEmpty { self.scheduleFlush() }
            }
            self.blockedSince = self.unwritten == 0 ? nil : self.channel.eventLoop.now
            self.whenWritten()
        }
        channel.write(slice, promise: promise)
        lastWrite = promise.futureResult
    }
}
