import BenchKit
import Foundation

/// Measures the time from a server's `exec` to the first answer for a waiting caller, and its memory before and after load.
struct StartAndMemory: Case {
    let name = "start and memory"

    private static let work = Load(underWay: 64, connections: 8, seconds: 1)

    func run(in bench: Bench) async throws -> Findings {
        let subjects = bench.subjects.filter { $0.takes(Self.work) && $0.name != OwnSubject.runtimeOnLoop.name }
        var findings = subjects.map { ProgramFinding(program: $0.name) }
        for round in 1...bench.rounds {
            for index in Turns.order(Array(subjects.indices), inRound: round) where findings[index].problem == nil {
                bench.progress.show("\(name), round \(round) of \(bench.rounds): \(subjects[index].name)")
                do {
                    try await measure(subjects[index], &findings[index], isLast: round == bench.rounds)
                } catch {
                    findings[index].problem = "\(error)"
                }
            }
        }
        return Findings(programs: findings)
    }

    private func measure(_ subject: any Subject, _ finding: inout ProgramFinding, isLast: Bool) async throws {
        var found = finding
        try await withBenchDirectory { directory in
            let (served, milliseconds) = try start(subject, in: directory)
            defer { served.stop() }
            found.firstAnswers.append(milliseconds)
            guard isLast else { return }
            found.idle = try Memory(of: served.server.id)
            _ = try Contender.measure(Self.work, subject, over: subject.socket(in: directory))
            found.loaded = try Memory(of: served.server.id)
        }
        finding = found
    }

    /// Starts the caller first, so that its own start is not measured.
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
