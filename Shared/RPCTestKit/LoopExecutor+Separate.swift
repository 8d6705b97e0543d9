import NIOPosix
import RPC

extension LoopExecutor {
    /// One of its own, for a test that counts what is left on it. Its thread lives as long as the process: a loop cannot be
    /// ended while anything might still run on it.
    public static func separate() -> LoopExecutor {
        LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next())
    }
}
