import NIOPosix
import RPC
import Timing

extension LoopExecutor {
    /// An executor with its own event loop, for a test that counts the tasks left on it. Its thread runs until the process exits,
    /// because a loop with possible tasks cannot be shut down.
    public static func separate(timedBy clock: any MonotonicClock = .system) -> LoopExecutor {
        LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next(), clock: clock)
    }
}
