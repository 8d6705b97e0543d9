import ArgumentParser
import NIOCore
import RPC

@main
enum Main {
    /// The main thread waits here. An asynchronous `main` would end it on Linux, which valgrind does not survive.
    static func main() throws {
        try LoopExecutor.shared.loop.makeFutureWithTask { await RPCBench.main() }.wait()
    }
}

/// Measures the runtime and the services beside what else there is.
struct RPCBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc-bench",
        abstract: "Compare the RPC runtime with its like, and measure the services (in a release build).",
        discussion: """
            Subjects serve and call in processes of their own, over the same kind of socket, and take turns round by
            round; the tables show medians. grpc-swift-2 and ttrpc are built when first wanted, and left out where that
            fails. Tests/Benchmarks/README.md says what each subject is and how to read the tables.

            Examples:
              rpc-bench                        everything, in less than ten minutes
              rpc-bench --quick                everything, coarsely, in less than two
              rpc-bench --cases '^1 KB, 64'    some cases only
              rpc-bench --subjects 'runtime|echo' --cases MB
              rpc-bench --raw run.json         tables, and every round in a file
              rpc-bench --json                 the same JSON instead of tables
            """,
        subcommands: [Run.self, Serve.self, ServeDeaf.self, Measure.self, Count.self], defaultSubcommand: Run.self)
}
