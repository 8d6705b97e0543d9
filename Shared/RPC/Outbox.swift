import NIOCore

/// The writing half of a connection: collects the frames of one tick of the event loop and writes them at once.
///
/// Lives on the channel's event loop.
final class Outbox {
    private let channel: any Channel
    private let executor: LoopExecutor

    /// The frames of this tick.
    private var frames: [UInt8] = []
    private var isFlushScheduled = false
    private var closesAfterFlush: CloseMode?

    /// The bytes that were given to the channel and that the kernel has not taken.
    private var unwritten = 0

    /// Since when the kernel has taken nothing, while there is something to take.
    private(set) var blockedSince: NIODeadline?

    private var lastWrite: EventLoopFuture<Void>

    /// The largest message that the peer takes.
    var frameLimit: Int

    /// Told when the kernel did not take everything at once, and since when.
    var whenBlocked: (NIODeadline) -> Void = { _ in }

    /// Told when the kernel has taken something.
    var whenWritten: () -> Void = {}

    /// So that the progress of a large write can be seen.
    private static let sliceLength = 256 * 1_024

    /// Storage that has grown larger than this is not kept for the next tick.
    private static let keptCapacity = 64 * 1_024

    init(channel: any Channel, executor: LoopExecutor, frameLimit: Int) {
        self.channel = channel
        self.executor = executor
        self.frameLimit = frameLimit
        lastWrite = channel.eventLoop.makeSucceededVoidFuture()
    }

    /// What the peer has not taken yet.
    var queuedBytes: Int { frames.count + unwritten }

    /// Adds a frame.
    /// - Throws: `too_large`, and nothing is added.
    func send(_ message: (inout JSONWriter) -> Void) throws(RPCError) {
        try frames.writeFrame(limit: frameLimit, message)
        scheduleFlush()
    }

    /// Closes once everything that was added is written; nothing may be added after this.
    func close(_ mode: CloseMode) {
        closesAfterFlush = mode
        scheduleFlush()
    }

    private func scheduleFlush() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        executor.flushAfterTasks { self.flush() }
    }

    private func flush() {
        isFlushScheduled = false
        var rest = channel.allocator.buffer(bytes: frames)
        frames.removeAll(keepingCapacity: frames.capacity <= Self.keptCapacity)
        while rest.readableBytes > 0, let slice = rest.readSlice(length: min(rest.readableBytes, Self.sliceLength)) {
            write(slice)
        }
        channel.flush()
        if let blockedSince { whenBlocked(blockedSince) }
        if let mode = closesAfterFlush {
            closesAfterFlush = nil
            lastWrite.assumeIsolated().whenComplete { [channel] _ in channel.close(mode: mode, promise: nil) }
        }
    }

    private func write(_ slice: ByteBuffer) {
        let count = slice.readableBytes
        unwritten += count
        blockedSince = blockedSince ?? .now()
        let promise = channel.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.unwritten -= count
            self.blockedSince = self.unwritten == 0 ? nil : .now()
            self.whenWritten()
        }
        channel.write(slice, promise: promise)
        lastWrite = promise.futureResult
    }
}
