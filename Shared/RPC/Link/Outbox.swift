import JSON
import NIOCore

/// The writing half of a connection: collects the frames of one tick of the event loop and writes them at once. What is
/// large goes out chunk by chunk behind them, as the kernel takes it, so that it delays nobody.
///
/// Lives on the channel's event loop.
final class Outbox {
    private let channel: any Channel
    private let executor: LoopExecutor

    /// The frames of this tick.
    private var frames: [UInt8] = []
    private let schedule = OutgoingSchedule()
    private var messages = 0
    private var isFlushScheduled = false
    private var isFlushing = false
    private var closesAfterFlush: CloseMode?

    /// Whether the last word is said: what would come after it is dropped.
    private var isEnding = false

    /// The bytes that were given to the channel and that the kernel has not taken; of chunks, and of all.
    private var unwrittenChunks = 0
    private var unwritten = 0

    /// Since when the peer has taken nothing, as far as is known, while there is something to take.
    private(set) var blockedSince: NIODeadline?

    /// All that was ever given to the channel.
    private var given = 0

    /// What the last look has seen.
    private var seen: Progress?

    private struct Progress {
        /// How many of the bytes given to the channel the kernel has accepted.
        let taken: Int

        /// The kernel memory of what the peer has not read; nil when the system does not report it.
        let unread: UInt32?
    }

    private var lastWrite: EventLoopFuture<Void>

    /// The largest message that the peer takes.
    private(set) var frameLimit: Int

    /// What was agreed on with the peer.
    var features: Features = []

    /// The peer has said what it takes; nil where it has not.
    func keep(toFrames frameBytes: Int?, transfers: Int?, assembledBytes: Int?) {
        if let frameBytes { frameLimit = min(frameLimit, frameBytes) }
        if let transfers { schedule.receiverNumbers = transfers }
        if let assembledBytes { schedule.receiverBytes = assembledBytes }
    }

    /// Told when the kernel did not take everything at once, and since when.
    var whenBlocked: (NIODeadline) -> Void = { _ in }

    /// Told when the kernel has taken something.
    var whenWritten: () -> Void = {}

    /// So that the memory of a large write is given back as it is written.
    private static let sliceLength = 256 * 1_024

    /// Storage that has grown larger than this is not kept for the next tick.
    private static let keptCapacity = 64 * 1_024

    /// How much of chunks may lie in the channel: what comes after has to wait for it.
    private static let chunksAhead = 2 * Limits.chunkBytes

    /// How many messages are written at once: so many cost one system call, and the peer works on them while we go on with
    /// the next.
    private static let messagesPerWrite = 16

    /// Smaller messages are not worth compressing.
    private static let compressedFrom = 512

    init(channel: any Channel, executor: LoopExecutor, frameLimit: Int) {
        self.channel = channel
        self.executor = executor
        self.frameLimit = frameLimit
        lastWrite = channel.eventLoop.makeSucceededVoidFuture()
    }

    /// What the peer has not taken yet.
    var queuedBytes: Int { frames.count + unwritten + schedule.bytes }

    // MARK: Sending

    /// Adds a message.
    /// - Parameter takesAttachments: whether bytes may go beside it.
    /// - Returns: what stands for a message that takes its time; nil for one that is on its way.
    /// - Throws: `too_large`, and nothing is added.
    @discardableResult
    func send(
        takesAttachments: Bool = false, _ message: (inout JSONWriter) -> Void
    ) throws(RPCError) -> OutgoingMessage? {
        guard !isEnding else { return nil }
        let start = frames.count
        let attachments = try frames.writeFrame(
            limit: frameLimit, takesAttachments: takesAttachments && features.contains(.bytes), message)
        let length = frames.count - start - Frame.headerLength
        if attachments.isEmpty {
            // A compressed message goes whole, however large: where that was agreed on, bytes cost more than time.
            let isCompressed = features.contains(.zlib) && length >= Self.compressedFrom && compress(from: start)
            if isCompressed || length <= Limits.chunkBytes || !features.contains(.parts) {
                wholeMessageAdded()
                return nil
            }
        }
        let text = ByteBuffer(bytes: frames[(start + Frame.headerLength)...])
        frames.removeSubrange(start...)
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
        let outgoing = OutgoingMessage(text: text, attachments: attachments)
        schedule.add(outgoing)
        // Not at once: its sender must hear how it ends, and does not know it yet.
        scheduleFlush()
        return outgoing
    }

    private func wholeMessageAdded() {
        messages += 1
        // Writing tells that something was written, and that may send more.
        if messages >= Self.messagesPerWrite, !isFlushing { flush() } else { scheduleFlush() }
    }

    /// - Returns: false when that would make it no smaller.
    private func compress(from start: Int) -> Bool {
        guard let compressed = Zlib.compress(frames[(start + Frame.headerLength)...]),
            compressed.count < frames.count - start - Frame.headerLength
        else { return false }
        frames.removeSubrange(start...)
        frames.appendHeader(.compressedMessage, length: compressed.count)
        frames.append(contentsOf: compressed)
        return true
    }

    // MARK: Numbers

    func send(_ reply: IncomingTransfers.Reply) {
        guard !isEnding else { return }
        switch reply {
        case .credit(let number, let bytes):
            frames.appendHeader(.credit, length: Frame.numberLength + 4)
            frames.append(bigEndian: number)
            frames.append(bigEndian: UInt32(clamping: bytes))
        case .stop(let number):
            frames.appendHeader(.stop, length: Frame.numberLength)
            frames.append(bigEndian: number)
        }
        scheduleFlush()
    }

    /// The peer grants more of a number.
    func grant(_ bytes: Int, to number: UInt32) throws(FrameViolation) {
        try schedule.grant(bytes, to: number)
        scheduleFlush()
    }

    /// The peer does not want the rest of a number.
    func stop(_ number: UInt32) {
        if schedule.stop(number) { abort(number, because: .cancelled) }
    }

    /// Sends no more of a message.
    func giveUp(_ message: OutgoingMessage, because kind: ErrorKind) {
        for number in schedule.giveUp(message) { abort(number, because: kind) }
    }

    private func abort(_ number: UInt32, because kind: ErrorKind) {
        guard !isEnding else { return }
        let reason = kind.rawValue.utf8
        frames.appendHeader(.aborted, length: Frame.numberLength + reason.count)
        frames.append(bigEndian: number)
        frames.append(contentsOf: reason)
        scheduleFlush()
    }

    // MARK: Ending

    /// Closes once everything that was added is written; nothing is added after this. Large messages are not waited for.
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
        executor.flushAfterTasks { self.flush() }
    }

    /// Gives everything that may go to the channel, at once.
    func flush() {
        isFlushScheduled = false
        isFlushing = true
        defer { isFlushing = false }
        messages = 0
        if !frames.isEmpty {
            var rest = channel.allocator.buffer(bytes: frames)
            frames.removeAll(keepingCapacity: frames.capacity <= Self.keptCapacity)
            while rest.readableBytes > 0, let slice = rest.readSlice(length: min(rest.readableBytes, Self.sliceLength))
            {
                write(slice, isChunk: false)
            }
        }
        writeChunks()
        channel.flush()
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

    private func writeChunks() {
        while unwrittenChunks < Self.chunksAhead, let frame = schedule.nextFrame(features) {
            write(frame, isChunk: true)
        }
    }

    private func write(_ slice: ByteBuffer, isChunk: Bool) {
        let count = slice.readableBytes
        unwritten += count
        given += count
        executor.memory.used(count)
        if isChunk { unwrittenChunks += count }
        if blockedSince == nil { (blockedSince, seen) = (channel.eventLoop.now, nil) }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.unwritten -= count
            if isChunk {
                self.unwrittenChunks -= count
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
