import ArgumentParser
import Foundation

/// Measures the runtime and the services. Subjects that are compared serve in processes of their own, and their rounds are
/// interleaved, so that what else the machine does hits all alike.
@main
struct RPCBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc-bench",
        abstract: "Measure the RPC runtime and the services (in a release build).",
        discussion: """
            Compares the runtime with a bare swift-nio echo of the same bytes over the same kind of socket, the last page
            of a long feed with its first, and tells the memory of the idle programs and the time until they serve.

            Examples:
              rpc-bench                     everything, in about two minutes
              rpc-bench --depth 10000       a shorter feed, for a quick look
              rpc-bench --json
            """,
        subcommands: [Run.self, Serve.self], defaultSubcommand: Run.self)

    struct Run: AsyncParsableCommand {
        @Option(help: "Rounds; the tables show medians over them.") var rounds = 5
        @Option(help: "Seconds per measurement.") var seconds = 1.0
        @Option(help: "How many items the long feed has.") var depth = 1_000_000
        @Flag(help: "Print JSON instead of tables.") var json = false

        func validate() throws {
            guard (1...100).contains(rounds), seconds > 0, (1_000...10_000_000).contains(depth) else {
                throw ValidationError("--rounds: 1 to 100, --seconds: over 0, --depth: 1000 to 10000000")
            }
        }

        func run() async throws {
            let progress = Progress()
            let calls = try await Comparison(rounds: rounds, seconds: seconds, progress: progress).run()
            let pages = try await PageDepth(depth: depth, rounds: rounds, progress: progress).run()
            let programs = try await IdlePrograms(rounds: rounds, progress: progress).run()
            progress.clear()
            print(
                json
                    ? Report.json(calls + pages, programs)
                    : [Report.table(calls), Report.table(pages), Report.table(programs)].joined(separator: "\n\n"))
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

/// What is going on, for who waits at a terminal.
struct Progress {
    private let isShown = isatty(STDERR_FILENO) == 1

    func show(_ text: String) {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
    }

    func clear() { show("") }
}
