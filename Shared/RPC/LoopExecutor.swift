import NIOCore
import NIOPosix

/// Runs tasks on an event loop, so that a call that is read, handled and answered there never changes threads.
///
/// Whatever runs here must not block: it would hold up every connection of the loop.
public final class LoopExecutor: TaskExecutor {
    public let loop: any EventLoop

    public init(_ loop: any EventLoop) { self.loop = loop }

    /// The executor of this process. One loop serves all connections of a service: its work per call is small, and what
    /// is not small (writes, blobs) has threads of its own.
    public static let shared = LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next())

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        loop.execute { job.runSynchronously(on: executor) }
    }
}
