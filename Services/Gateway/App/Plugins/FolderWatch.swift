import Foundation
import Logging
import NIOCore
import NIOPosix

/// Reports changes of a folder, which may be missing, appear later or be replaced.
///
/// It watches the folder and its parent with inotify. If inotify cannot be initialised, it reports a change every second.
final class FolderWatch: Sendable {
    /// Yields after one or more changes.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let path: String
    private let logger: Logger

    /// The time from the first change to reading the folder, in which editors and scripts finish writing.
    static let settleTime = Duration.milliseconds(100)

    /// The interval of the reported changes without inotify.
    private static let pollTime = Duration.seconds(1)

    private static let contentChanges =
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    private static let parentChanges = IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Watches until the task is cancelled.
    func run(on loop: any EventLoop) async {
        defer { changed.finish() }
        guard let (channel, descriptor) = await open(on: loop) else { return await poll() }
        watch(descriptor)
        // No event reports a change before the watches were added.
        changed.yield()
        await withTaskCancellationHandler {
            // Throws only for a channel that was never open.
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func poll() async {
        while !Task.isCancelled {
            changed.yield()
            // Ends early when the task is cancelled.
            try? await Task.sleep(for: Self.pollTime)
        }
    }

    private func open(on loop: any EventLoop) async -> (any Channel, Int32)? {
        let descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            logger.warning("cannot watch \(path): \(String(cString: strerror(errno))); it is read every second instead")
            return nil
        }
        do {
            let channel: any Channel = try await NIOPipeBootstrap(group: loop)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.eventBytes))
                .takingOwnershipOfDescriptor(input: descriptor) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Reader(self, descriptor))
                        return channel
                    }
                }
            return (channel, descriptor)
        } catch {
            logger.warning("cannot watch \(path): \(error); it is read every second instead")
            close(descriptor)
            return nil
        }
    }

    /// More than the largest event; otherwise reading fails.
    private static let eventBytes = 4_096

    /// Adds the watches that are missing, for example of a folder that was replaced. Repeating it has no effect.
    private func watch(_ descriptor: Int32) {
        // Fails while the folder or its parent is missing. The next event of the parent adds the watch again.
        inotify_add_watch(
            descriptor, (path as NSString).deletingLastPathComponent, UInt32(Self.parentChanges | IN_ONLYDIR))
        inotify_add_watch(descriptor, path, UInt32(Self.contentChanges | IN_ONLYDIR))
    }

    /// Discards the events: which file has changed does not matter, because the whole folder is read again. So an overflow
    /// of the kernel's queue does not matter either.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let watch: FolderWatch
        private let descriptor: Int32

        init(_ watch: FolderWatch, _ descriptor: Int32) {
            self.watch = watch
            self.descriptor = descriptor
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            watch.watch(descriptor)
            watch.changed.yield()
        }
    }
}
