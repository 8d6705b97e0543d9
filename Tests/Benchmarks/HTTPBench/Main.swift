import ArgumentParser
import BenchKit
import Foundation

/// Measures the HTTP API and compares it with a framework for HTTP and with nginx.
@main
struct HTTPBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http-bench",
        abstract: "Compare the HTTP API with hummingbird and with nginx's proxy_cache (in a release build).",
        discussion: """
            Needs the four programs in the same directory (swift build -c release) and wrk. Builds hummingbird-bench on \
            demand. Skips what is not installed. Subjects take turns round by round; the tables show medians.

            Examples:
              http-bench                                all cases, about ten minutes
              http-bench --quick                        all cases, coarsely
              http-bench --cases 'feed page|HTML'       some cases only
              http-bench --photos ~/Pictures            with your own pictures
              http-bench --json
            """)

    @Option(help: "A folder of pictures, as for gateway import.") var photos = "deploy/sample"
    @Option(help: "The number of rounds. The tables show their medians.") var rounds: Int?
    @Option(help: "Seconds per measurement; wrk rounds them up.") var seconds: Double?
    @Option(help: "Run only cases whose name matches this pattern.") var cases: Pattern?
    @Flag(help: "Fewer and shorter rounds, fewer pictures.") var quick = false
    @Flag(help: "Print JSON instead of tables.") var json = false
    @Option(help: "Write the same JSON to this file: medians, rounds, aims and the machine.") var raw: String?

    func validate() throws {
        guard (1...20).contains(rounds ?? 1), (seconds ?? 1) > 0 else {
            throw ValidationError("--rounds: 1 to 20, --seconds: over 0")
        }
    }

    func run() async throws {
        try OpenFiles.allowMany()
        let cases = allCases.filter { self.cases?.fits($0.name) ?? true }
        guard !cases.isEmpty else { throw ValidationError("--cases: no case matches") }
        let (progress, machine) = (ProgressLine(), Machine())
        if !json { print(machine.line + "\n") }
        var leftOut: [LeftOut] = []
        if !Nginx.isInstalled { leave(LeftOut(subject: "nginx", reason: "it is not installed"), &leftOut) }
        var hummingbird: String?
        if cases.contains(where: { $0 is FeedPage }) {
            progress.show("building hummingbird-bench (the first build takes minutes)")
            do {
                hummingbird = try Hummingbird.program.build()
            } catch {
                progress.clear()
                leave(LeftOut(subject: Hummingbird.program.subject, reason: "\(error)"), &leftOut)
            }
        }
        let bench = Bench(
            rounds: rounds ?? (quick ? 2 : 5), seconds: seconds ?? (quick ? 0.3 : 2), photos: try Photos(photos),
            isQuick: quick, hummingbird: hummingbird, progress: progress)
        var blocks: [Block] = []
        for benchCase in cases {
            do {
                let found = try await benchCase.run(in: bench)
                progress.clear()
                show(found)
                blocks += found
            } catch let skipped as LeftOut {
                progress.clear()
                leave(skipped, &leftOut)
            }
        }
        if !json { print(Block.aims(blocks)) }
        let report = try Report(blocks, bench, machine, leftOut).json
        if json { print(report) }
        if let raw { try Data((report + "\n").utf8).write(to: URL(fileURLWithPath: raw)) }
    }

    private func show(_ blocks: [Block]) {
        guard !json else { return }
        for block in blocks { print(block.table + "\n") }
        // Show every block at once, also in a pipe.
        fflush(nil)
    }

    private func leave(_ subject: LeftOut, _ leftOut: inout [LeftOut]) {
        leftOut.append(subject)
        if !json { print("\(subject)\n") }
    }
}
