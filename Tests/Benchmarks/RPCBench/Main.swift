import ArgumentParser
import NIOCore
import RPC

@main
enum Main {
    /// Blocks the main thread. On Linux an asynchronous `main` ends the main thread, which crashes valgrind.
    static func main() throws {
        try LoopExecutor.shared.loop.makeFutureWithTask { await RPCBench.main() }.wait()
    }
}

/// Compares the runtime with other RPC systems, and measures the services.
struct RPCBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc-bench",
        abstract: "Compare the RPC runtime with other RPC systems, and measure the services (in a release build).",
        discussion: """
            Each subject serves and calls in separate processes, over the same kind of socket. Subjects take turns round
            by round; the tables show medians. grpc-swift-2 and ttrpc are built on first use, and skipped if that fails.
            Tests/Benchmarks/README.md describes the subjects and the tables.

            Examples:
              rpc-bench                        all cases, in less than ten minutes
              rpc-bench --quick                all cases, coarsely, in less than two minutes
              rpc-bench --cases '^1 KB, 64'    some cases only
              rpc-bench --subjects 'runtime|echo' --cases MB
              rpc-bench --raw run.json         tables, and every round in a file
              rpc-bench --json                 the same JSON instead of tables
            """,
        subcommands: [Run.self, Serve.self, ServeDeaf.self, Measure.self, Count.self], defaultSubcommand: Run.self)
}
