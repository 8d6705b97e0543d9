import ArgumentParser
import Foundation

/// Measures the runtime and the services beside what else there is.
@main
struct RPCBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc-bench",
        abstract: "Compare the RPC runtime with its like, and measure the services (in a release build).",
        discussion: """
            Subjects serve and call in processes of their own, over the same kind of socket, and take turns round by
            round; the tables show medians. grpc-swift-2 and ttrpc are built when first wanted, and left out where that
            fails.

            Examples:
              rpc-bench                        everything, in about five minutes
              rpc-bench --quick                everything, coarsely
              rpc-bench --cases '^1 KB, 64'    some cases only
              rpc-bench --subjects 'runtime|echo' --cases MB
              rpc-bench --json
            """,
        subcommands: [Run.self, Serve.self, ServeDeaf.self, Measure.self], defaultSubcommand: Run.self)
}
