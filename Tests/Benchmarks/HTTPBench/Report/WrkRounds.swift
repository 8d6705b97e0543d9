import BenchKit

/// The measurements of one subject, round by round.
struct WrkRounds {
    let name: String
    let load: Wrk

    /// Whether the servers of this project answer, whose processor time is measured.
    var isOurs = true
    private(set) var rounds: [[Double?]] = []

    static let columns = [
        Block.Column(title: "p50 ms", key: "p50_ms", digits: 2),
        Block.Column(title: "p99 ms", key: "p99_ms", digits: 2),
        Block.Column(title: "requests/s", key: "requests_per_s", digits: 0),
        Block.Column(title: "MB/s", key: "mb_per_s", digits: 1),
        Block.Column(title: "CPU µs", key: "cpu_us", digits: 0),
    ]

    init(name: String, load: Wrk, isOurs: Bool = true) {
        self.name = name
        self.load = load
        self.isOurs = isOurs
    }

    /// Measures a round.
    /// - Parameter servers: the processes that answer.
    mutating func measure(seconds: Double, in directory: String, _ servers: [ChildProcess]) throws {
        let before = servers.reduce(0) { $0 + $1.processorTime }
        let found = try load.run(seconds: seconds, in: directory)
        let time = servers.reduce(0) { $0 + $1.processorTime } - before
        rounds.append([
            Double(found.p50) / 1_000, Double(found.p99) / 1_000, found.requestsPerSecond, found.megabytesPerSecond,
            isOurs ? time / Double(found.requests) : nil,
        ])
    }

    /// The medians.
    var values: [Double?] {
        Self.columns.indices.map { column in median(rounds.compactMap { $0[column] }) }
    }

    var p99: Double? { values[1] }
    var requestsPerSecond: Double? { values[2] }

    /// - Parameters:
    ///   - ratio: the requests/s divided by those of another subject.
    func row(ratio: Double?, aims: [MeasuredAim?]) -> Block.Row {
        Block.Row(name: name, values: values + [ratio], rounds: rounds, aims: aims)
    }

    /// Measures all subjects in turns.
    static func measure(
        _ subjects: inout [WrkRounds], _ title: String, in directory: String, _ servers: [ChildProcess], _ bench: Bench
    ) throws {
        for round in 0...bench.rounds {
            bench.progress.show(round == 0 ? "\(title), warming up" : "\(title), round \(round) of \(bench.rounds)")
            for index in Turns.order(Array(subjects.indices), inRound: max(1, round)) {
                if round == 0 {
                    _ = try subjects[index].load.run(seconds: bench.warmUpSeconds, in: directory)
                } else {
                    try subjects[index].measure(seconds: bench.seconds, in: directory, servers)
                }
            }
        }
    }
}
