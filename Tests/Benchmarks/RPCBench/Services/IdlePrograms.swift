import BenchKit

/// Measures the memory of the four idle programs, and their times from `exec` to the first answer.
struct IdlePrograms: Case {
    let name = "idle programs"
    let comparesSubjects = false

    func run(in bench: Bench) async throws -> Findings {
        let programs = RunningDeployment.programs
        var starts = programs.map { _ in [Double]() }
        var memory: [Memory] = []
        for round in 1...bench.rounds {
            bench.progress.show("starting the programs, round \(round) of \(bench.rounds)")
            try await withBenchDirectory { root in
                // The programs are idle once they are connected to each other.
                let deployment = try await RunningDeployment.start(root: root)
                defer { deployment.stop() }
                for (index, service) in deployment.services.enumerated() { starts[index].append(service.firstAnswer) }
                memory = try deployment.services.map { try Memory(of: $0.process.id) }
            }
        }
        return Findings(
            programs: programs.indices.map {
                ProgramFinding(program: programs[$0], idle: memory[$0], firstAnswers: starts[$0])
            })
    }
}
