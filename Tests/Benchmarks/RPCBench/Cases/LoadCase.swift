import BenchKit

/// Measures every subject under the same load, in turn in each round, so that other work on the machine affects all equally.
struct LoadCase: Case {
    let name: String
    let load: Load

    /// A factor on the measured time, for loads with few calls per second.
    var patience = 1.0

    func run(in bench: Bench) async throws -> Findings {
        try await withBenchDirectory { directory in
            var contenders: [Contender] = []
            var absent: [CallFinding] = []
            defer { contenders.forEach { $0.served.stop() } }
            for subject in bench.subjects where subject.takes(load) {
                do {
                    contenders.append(try Contender(subject, in: directory))
                } catch {
                    absent.append(CallFinding(name: name, subject: subject.name, problem: "does not start: \(error)"))
                }
            }
            let load = timed(bench)
            for round in 1...bench.rounds {
                for index in Turns.order(Array(contenders.indices), inRound: round) {
                    bench.progress.show("\(name), round \(round) of \(bench.rounds): \(contenders[index].subject.name)")
                    try contenders[index].measure(load)
                }
            }
            return Findings(calls: contenders.map { $0.finding(in: name) } + absent)
        }
    }

    private func timed(_ bench: Bench) -> Load {
        var load = load
        load.seconds = bench.seconds * patience
        load.warmUpSeconds = bench.warmUpSeconds
        return load
    }
}
