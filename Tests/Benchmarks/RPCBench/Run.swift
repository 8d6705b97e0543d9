import ArgumentParser
import BenchKit
import Foundation

/// The comparison.
struct Run: AsyncParsableCommand {
    @Option(help: "The number of rounds. The tables show their medians.") var rounds: Int?
    @Option(help: "Seconds per measurement.") var seconds: Double?
    @Option(help: "The number of items of the long feed.") var depth: Int?
    @Option(help: "Run only cases whose name matches this pattern.") var cases: Pattern?
    @Option(help: "Run only subjects whose name matches this pattern.") var subjects: Pattern?
    @Flag(help: "Fewer and shorter rounds, a shorter feed.") var quick = false
    @Flag(help: "Print JSON instead of tables.") var json = false
    @Option(help: "Write the same JSON to this file: medians, every round, and the machine.") var raw: String?

    func validate() throws {
        guard (1...100).contains(rounds ?? 1), (seconds ?? 1) > 0, (1_000...10_000_000).contains(depth ?? 1_000) else {
            throw ValidationError("--rounds: 1 to 100, --seconds: over 0, --depth: 1000 to 10000000")
        }
    }

    func run() async throws {
        let progress = ProgressLine()
        let cases = allCases(feedItems: depth ?? (quick ? 10_000 : 1_000_000)).filter {
            self.cases?.fits($0.name) ?? true
        }
        guard !cases.isEmpty else { throw ValidationError("--cases: no case matches") }
        let (subjects, leftOut) = cases.contains { $0.comparesSubjects } ? gather(progress) : ([], [])
        let bench = Bench(
            subjects: subjects, rounds: rounds ?? (quick ? 2 : 5), seconds: seconds ?? (quick ? 0.1 : 0.3),
            progress: progress)
        let machine = Machine()
        if !json { print(Table.heading(bench, machine) + "\n") }
        var findings = Findings()
        for benchCase in cases {
            let found = try await benchCase.run(in: bench)
            progress.clear()
            if !json { show(found, of: benchCase) }
            findings += found
        }
        if !json { print(Table.aims(findings)) }
        let report = try findings.json(bench, machine, leftOut: leftOut)
        if json { print(report) }
        if let raw { try Data((report + "\n").utf8).write(to: URL(fileURLWithPath: raw)) }
    }

    private func show(_ found: Findings, of benchCase: any Case) {
        if !found.calls.isEmpty { print(Table.block(found.calls) + "\n") }
        if !found.programs.isEmpty { print(Table.block(found.programs, title: benchCase.name) + "\n") }
        // Show every block at once, also in a pipe.
        fflush(nil)
    }

    private func gather(_ progress: ProgressLine) -> ([any Subject], [LeftOut]) {
        var subjects: [any Subject] = OwnSubject.allCases + GatewaySubject.all
        var leftOut: [LeftOut] = []
        for program in ExternalProgram.subjects where self.subjects?.fits(program.subject) ?? true {
            progress.show("building \(program.subject) (the first build takes minutes)")
            do {
                subjects.append(ExternalSubject(name: program.subject, program: try program.build()))
            } catch {
                leftOut.append(LeftOut(subject: program.subject, reason: "\(error)"))
            }
        }
        progress.clear()
        for subject in leftOut where !json { print("\(subject)\n") }
        return (subjects.filter { self.subjects?.fits($0.name) ?? true }, leftOut)
    }
}
