import NIOCore
import NIOPosix
import RPC
import Timing

/// The event loops of HTTP connections. They are separate from the services' loop, because sending images to many
/// clients is most of a gateway's work. The requests of a connection run on its loop.
struct HTTPLoops: Sendable {
    let group: MultiThreadedEventLoopGroup
    let clock: any MonotonicClock
    private let executors: [ObjectIdentifier: LoopExecutor]

    /// More loops do not help: one process communicates with the services on a single loop.
    private static let most = 4

    /// The loops of this process, which are never shut down.
    static let shared = HTTPLoops(count: min(most, System.coreCount))

    init(count: Int, clock: any MonotonicClock = .system) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: count)
        self.clock = clock
        executors = Dictionary(
            uniqueKeysWithValues: group.makeIterator().map {
                (ObjectIdentifier($0), LoopExecutor($0, clock: clock))
            })
    }

    /// Nil for a loop of another group.
    func executor(of channel: any Channel) -> LoopExecutor? { executors[ObjectIdentifier(channel.eventLoop)] }
}
