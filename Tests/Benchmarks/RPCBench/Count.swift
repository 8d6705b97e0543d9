import ArgumentParser
import BenchKit
import Foundation
import NIOPosix
import RPC

/// Serves and calls in one process, a fixed number of times, for tools that count instructions.
struct Count: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve and call one subject in this process, a fixed number of times.", shouldDisplay: false)

    @Argument var subject: OwnSubject
    @Option var calls = 10_000
    @Option var underWay = 64
    @Option var replyBytes = 1_024

    func validate() throws {
        guard underWay > 0, calls >= underWay, replyBytes >= 0 else {
            throw ValidationError("--under-way: at least 1, --calls: at least as many, --reply-bytes: at least 0")
        }
    }

    func run() async throws {
        let load = Load(replyBytes: replyBytes, underWay: underWay, calls: calls)
        let measurement = try await withBenchDirectory { directory in
            let socket = subject.socket(in: directory)
            serve(on: socket)
            UnixAddress(socket).waitUntilServed()
            return try await subject.measure(load, over: socket)
        }
        print("\(measurement.allCalls) calls")
    }

    /// Serves on a separate event loop until the process exits, because not every subject's server can be stopped.
    private func serve(on socket: String) {
        let executor = LoopExecutor(MultiThreadedEventLoopGroup(numberOfThreads: 1).next())
        executor.loop.makeFutureWithTask { try await subject.serve(on: socket, executor: executor) }
            .whenFailure { Self.exit(withError: $0) }
    }
}
