import ArgumentParser
import BenchKit
import Foundation

/// Measures what an edge does with pictures, beside nginx with the same in front of it.
@main
struct EdgeBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edge-bench",
        abstract:
            "Compare an edge's pictures with nginx's proxy_cache, and measure what it keeps (in a release build).",
        discussion: """
            Needs the four programs beside it (swift build -c release) and nginx, which is left out where it is not \
            installed. Subjects take turns round by round; the tables show medians.

            Examples:
              edge-bench                                everything, in about five minutes
              edge-bench --quick                        everything, coarsely
              edge-bench --photos ~/Pictures            with pictures of your own
              edge-bench --cases 'warm|cold picture'    some cases only
              edge-bench --json
            """)

    @Option(help: "A folder of pictures, as for gateway import.") var photos = "deploy/sample"
    @Option(help: "Rounds; the tables show medians over them.") var rounds: Int?
    @Option(help: "Seconds per measurement.") var seconds: Double?
    @Option(help: "Only cases whose name has this pattern in it.") var cases: Pattern?
    @Flag(help: "Fewer and shorter rounds, fewer pictures.") var quick = false
    @Flag(help: "Print JSON instead of tables.") var json = false

    func validate() throws {
        guard (1...20).contains(rounds ?? 1), (seconds ?? 1) > 0 else {
            throw ValidationError("--rounds: 1 to 20, --seconds: over 0")
        }
    }

    func run() async throws {
        try OpenFiles.allowMany()
        let bench = Bench(
            rounds: rounds ?? (quick ? 2 : 5), seconds: seconds ?? (quick ? 0.3 : 2), photos: try Photos(photos),
            isQuick: quick, progress: ProgressLine())
        let cases = allCases.filter { self.cases?.fits($0.name) ?? true }
        guard !cases.isEmpty else { throw ValidationError("--cases: there is no such case") }
        if !Nginx.isInstalled {
            FileHandle.standardError.write(Data("nginx is left out: it is not installed\n".utf8))
        }
        var blocks: [Block] = []
        for benchCase in cases {
            let found = try await benchCase.run(in: bench)
            bench.progress.clear()
            blocks += found
            guard !json else { continue }
            for block in found { print(block.table + "\n") }
            // Who waits sees every block at once, in a pipe too.
            fflush(nil)
        }
        if json { print(try Block.json(blocks)) }
    }
}
