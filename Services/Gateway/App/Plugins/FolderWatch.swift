import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Timing

/// Reports changes of a folder, which may be missing, appear later or be replaced.
///
/// It watches the folder and the one above it with inotify. Where that is not possible or does not suffice, it also reports a
/// change regularly.
final class FolderWatch: Sendable {
    /// Yields after one or more changes.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let path: String
    private let logger: Logger
    private let clock: any MonotonicClock

    /// Whether inotify reports nothing.
    private let isBlind = Atomic(false)
    private let links = Atomic(false)

    /// Set for a folder with symbolic links: inotify does not report what they lead to.
    var hasLinks: Bool {
        get { links.load(ordering: .relaxed) }
        set { links.store(newValue, ordering: .relaxed) }
    }

    /// The time from the first change to reading the folder, in which editors and scripts finish writing.
    static let settleTime = Duration.milliseconds(100)

    /// The time between two changes that are reported without inotify. Together with `settleTime` it is less than a second.
    static let pollTime = Duration.milliseconds(800)

    private static let contentChanges =
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    private static let parentChanges = IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB

    init(path: String, logger: Logger, clock: any MonotonicClock) {
        self.path = path
        self.logger = logger
        self.clock = clock
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Watches until the task is cancelled.
    func run(on loop: any EventLoop) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.poll() }
            await watch(on: loop)
        }
        changed.finish()
    }

    private func poll() async {
        while !Task.isCancelled {
            if hasLinks || isBlind.load(ordering: .relaxed) { changed.yield() }
            // Ends early when the task is cancelled.
            try? await clock.sleep(for: Self.pollTime)
        }
    }

    // MARK: inotify

    private func watch(on loop: any EventLoop) async {
        let descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return giveUp(Self.reason(of: errno)) }
        do {
            let channel: any Channel = try await NIOPipeBootstrap(group: loop)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.eventBytes))
                .takingOwnershipOfDescriptor(input: descriptor) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Reader(self, descriptor))
                        return channel
                    }
                }
            await withTaskCancellationHandler {
                // Fails only for a channel that was never open.
                try? await channel.closeFuture.get()
            } onCancel: {
                channel.close(promise: nil)
            }
            if !Task.isCancelled { giveUp("reading its changes failed") }
        } catch {
            giveUp("\(error)")
            close(descriptor)
        }
    }

    /// Continues without inotify.
    private func giveUp(_ reason: String) {
        logger.warning("cannot watch \(path): \(reason); it is read every second instead")
        isBlind.store(true, ordering: .relaxed)
        changed.yield()
    }

    /// The system's text names a file limit or a full disk, where a limit of inotify is reached.
    private static func reason(of code: Int32) -> String {
        switch code {
        case EMFILE: "the limit fs.inotify.max_user_instances or that of open files is reached"
        case ENOSPC: "the limit fs.inotify.max_user_watches is reached"
        default: String(cString: strerror(code))
        }
    }

    /// More than the largest event; otherwise reading fails.
    private static let eventBytes = 4_096

    /// Whether events of inotify concern the folder: not those about other files beside it, because the gateway writes such a file after it
    /// has read the folder.
    /// - Parameters:
    ///   - above: the number of the folder above it.
    ///   - name: of the folder.
    static func concern(_ events: ByteBuffer, above: Int32?, name: String) -> Bool {
        var events = events
        while let (number, _, _, length) = events.readMultipleIntegers(
            endianness: .host, as: (Int32, UInt32, UInt32, UInt32).self)
        {
            // Zeros follow the name. An overflow of the kernel's queue has none.
            guard let file = events.readString(length: Int(length)), number == above, !file.isEmpty else { return true }
            if file.prefix(while: { $0 != "\0" }) == name { return true }
        }
        return false
    }

    /// Which file of the folder has changed does not matter, because the whole folder is read again.
    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let watch: FolderWatch
        private let descriptor: Int32

        /// The watched folders by their paths.
        private var watched: [String: Int32] = [:]

        init(_ watch: FolderWatch, _ descriptor: Int32) {
            self.watch = watch
            self.descriptor = descriptor
        }

        func channelActive(context: ChannelHandlerContext) {
            // Changes before this moment were not reported. Not at once: the channel must not be closed while it becomes active.
            context.eventLoop.assumeIsolated().execute { self.look(context) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let name = (watch.path as NSString).lastPathComponent
            if FolderWatch.concern(unwrapInboundIn(data), above: watched[above], name: name) { look(context) }
        }

        private var above: String { (watch.path as NSString).deletingLastPathComponent }

        private func look(_ context: ChannelHandlerContext) {
            let failure =
                add(above, UInt32(FolderWatch.parentChanges | IN_ONLYDIR))
                ?? add(watch.path, UInt32(FolderWatch.contentChanges | IN_ONLYDIR))
            watch.changed.yield()
            guard let failure else { return }
            watch.giveUp(failure)
            context.close(promise: nil)
        }

        /// Watches the folder that is at a path now, and not one that it has replaced. Repeating it has no effect.
        /// - Returns: why that is not possible; nil for a watched folder and for a missing one, which the folder above reports.
        private func add(_ path: String, _ changes: UInt32) -> String? {
            let number = inotify_add_watch(descriptor, path, changes)
            let code = errno
            if let old = watched[path], old != number { inotify_rm_watch(descriptor, old) }
            watched[path] = number >= 0 ? number : nil
            return number >= 0 || code == ENOENT || code == ENOTDIR ? nil : FolderWatch.reason(of: code)
        }
    }
}
