import BenchKit
import Foundation

/// From a server's `exec` to the first answer that somebody gets who is waiting for it, and what it has in memory before
/// and after work.
struct StartAndMemory: Case {
    let name = "start and memory"

    private static let work = Load(underWay: 64, connections: 8, seconds: 1)

    func run(in bench: Bench) async throws -> Findings {
        var findings: [ProgramFinding] = []
        for subject in bench.subjects
        where subject.takes(Self.work) && subject.name != OwnSubject.ordinaryRuntime.name {
            findings.append(try await run(subject, in: bench))
        }
        return Findings(programs: findings)
    }

    private func run(_ subject: any Subject, in bench: Bench) async throws -> ProgramFinding {
        var finding = ProgramFinding(program: subject.name)
        var starts: [Double] = []
        do {
            for round in 1...bench.rounds {
                bench.progress.show("\(name), round \(round) of \(bench.rounds): \(subject.name)")
                try await withBenchDirectory { directory in
                    let (served, milliseconds) = try start(subject, in: directory)
                    defer { served.stop() }
                    starts.append(milliseconds)
                    guard round == bench.rounds else { return }
                    finding.idle = try Memory(of: served.server.id)
                    _ = try Contender.measure(Self.work, subject, over: subject.socket(in: directory))
                    finding.loaded = try Memory(of: served.server.id)
                }
            }
        } catch {
            finding.problem = "\(error)"
        }
        finding.firstAnswer = median(starts)
        return finding
    }

    /// The caller is there first, so that its own start does not count.
    private func start(_ subject: any Subject, in directory: String) throws -> (Served, milliseconds: Double) {
        let load = Load()
        let caller = try ChildProcess.start(
            try subject.measuring(load, over: subject.socket(in: directory)), readingOutput: true)
        usleep(200_000)
        let served = try subject.start(in: directory)
        do {
            let measurement = try Contender.measurement(caller, load)
            return (served, Double(measurement.firstAnswer - served.server.startedAt) / 1_000)
        } catch {
            served.stop()
            throw error
        }
    }
}
