import NIOCore
import NIOPosix

/// The event loops of a server. Each accepted connection is given to the next of them and stays there.
public struct LoopExecutors: Sendable {
    let group: any EventLoopGroup
    let all: [LoopExecutor]

    public init(_ executor: LoopExecutor) {
        group = executor.loop
        all = [executor]
    }

    /// Starts event loops, which run until the process ends.
    public init(count: Int) {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: count)
        group = threads
        all = threads.makeIterator().map { LoopExecutor($0) }
    }
}
