import ArgumentParser
import Foundation
import RPC

/// Measures the runtime side by side with a bare swift-nio echo of the same bytes over the same kind of socket. Each
/// subject serves in a process of its own; rounds are interleaved, so that what else the machine does hits all alike.
@main
struct RPCBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc-bench",
        abstract: "Compare the RPC runtime with a bare swift-nio echo (use a release build).",
        subcommands: [Run.self, Serve.self], defaultSubcommand: Run.self)

    struct Run: AsyncParsableCommand {
        @Option(help: "Rounds; the table shows medians over them.") var rounds = 5
        @Option(help: "Seconds per measurement.") var seconds = 1.0
        @Flag(help: "Print JSON instead of a table.") var json = false

        func run() async throws {
            let cases = try await Comparison(rounds: rounds, seconds: seconds).run()
            print(json ? Report.json(cases) : Report.table(cases))
        }
    }

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Serve one subject (started by run).", shouldDisplay: false)

        @Argument var server: ServerKind
        @Argument var path: String

        func run() async throws { try await server.serve(on: path) }
    }
}
