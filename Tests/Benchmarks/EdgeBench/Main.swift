import ArgumentParser
import BenchKit
import Foundation

/// Measures an edge's pictures and compares them with nginx in front of the same origin.
@main
struct EdgeBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edge-bench",
        abstract:
            "Compare an edge's pictures with nginx's proxy_cache, and measure the edge's cache (in a release build).",
        discussion: """
            Needs the four programs in the same directory (swift build -c release). Skips nginx if it is not \
            installed. Subjects take turns round by round; the tables show medians.

            Examples:
              edge-bench                                all cases, about five minutes
              edge-bench --quick                        all cases, coarsely
              edge-bench --photos ~/Pictures            with your own pictures
              edge-bench --cases 'warm|cold picture'    some cases only
              edge-bench --json
            """)

    @Option(help: "A folder of pictures, as for gateway import.") var photos = "deploy/sample"
    @Option(help: "The number of rounds. The tables show their medians.") var rounds: Int?
    @Option(help: "Seconds per measurement.") var seconds: Double?
    @Option(help: "Run only cases whose name matches this pattern.") var cases: Pattern?
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
        guard !cases.isEmpty else { throw ValidationError("--cases: no case matches") }
        if !Nginx.isInstalled {
            FileHandle.standardError.write(Data("nginx is skipped: it is not installed\n".utf8))
        }
        var blocks: [Block] = []
        for benchCase in cases {
            let found = try await benchCase.run(in: bench)
            bench.progress.clear()
            blocks += found
            guard !json else { continue }
            for block in found { print(block.table + "\n") }
            // Show every block at once, also in a pipe.
            fflush(nil)
        }
        if json { print(try Block.json(blocks)) }
    }
}
