import BenchKit

/// What the four programs take while nothing happens, and how long they need from `exec` until they answer.
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
                // Once all are connected to each other nothing happens any more.
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
