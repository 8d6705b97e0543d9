import NIOCore
import NIOPosix
import RPC

/// The event loops of HTTP connections, apart from that of the services: writing pictures to many clients is most of a
/// gateway's work. What is done for a connection is done on its loop.
struct HTTPLoops: Sendable {
    let group: MultiThreadedEventLoopGroup
    private let executors: [ObjectIdentifier: LoopExecutor]

    /// More are of no use beside what one process has to say to the services.
    private static let most = 4

    /// Those of this process. They live as long as it does.
    static let shared = HTTPLoops(count: min(most, System.coreCount))

    init(count: Int) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        executors = Dictionary(
            uniqueKeysWithValues: group.makeIterator().map { (ObjectIdentifier($0), LoopExecutor($0)) })
    }

    /// Nil for a loop that is none of these.
    func executor(of channel: any Channel) -> LoopExecutor? { executors[ObjectIdentifier(channel.eventLoop)] }
}
