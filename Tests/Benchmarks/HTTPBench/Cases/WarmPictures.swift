import BenchKit
import Foundation

/// Compares cached pictures of an edge with the same pictures in nginx's cache. Both read from the same deployment.
struct WarmPictures: Case {
    let name = "warm pictures"

    /// The sizes that count as about 100 KB, in bytes.
    private static let nearSize = 80_000...125_000
    private static let connections = [1, 64]

    private static let enough = Aim.atLeast(0.5)
    private static let slowest = Aim.atMost(2)

    private static let columns = [
        Block.Column(title: "p50 µs", key: "p50_us"), Block.Column(title: "p99 µs", key: "p99_us"),
        Block.Column(title: "requests/s", key: "requests_per_s", digits: 0),
        Block.Column(title: "MB/s", key: "mb_per_s", digits: 0),
        Block.Column(title: "requests/s ×", key: "requests_per_s_ratio", digits: 2),
        Block.Column(title: "p99 ×", key: "p99_ratio", digits: 2),
        Block.Column(title: "CPU µs", key: "cpu_us", digits: 0),
    ]

    fileprivate struct Seen {
        var p50: [Double] = []
        var p99: [Double] = []
        var rate: [Double] = []
        var bytes: [Double] = []
        var processorTime: [Double] = []
    }

    func run(in bench: Bench) async throws -> [Block] {
        try await withBenchDirectory { directory in
            bench.progress.show("importing \(bench.photos.folder)")
            let port = try FreePort.find()
            let origin = try await RunningDeployment.start(root: directory + "/origin", http: "127.0.0.1:\(port)")
            defer { origin.stop() }
            try bench.photos.publish(to: directory + "/origin")
            let contest = try await Contest.start(in: directory, origin: port)
            defer { contest.stop() }
            let paths = try await FeedWalk.ids(contest.edge.feed).map(FeedWalk.path)
            guard !paths.isEmpty else { throw Failure("\(bench.photos.folder) has no pictures that can be imported") }
            let sizes = try contest.subjects.map { try HTTPCallers(port: $0.port, count: 1).sizes(paths) }[0]
            let all = zip(paths, sizes).map { Picture(path: $0, size: $1) }
            return try [Self.near(all), all].flatMap { pictures in
                try Self.connections.map { try compare(contest, pictures, connections: $0, bench) }
            }
        }
    }

    private struct Picture {
        let path: String
        let size: Int
    }

    /// The pictures of about 100 KB; if there are none, the three nearest to that size.
    private static func near(_ pictures: [Picture]) -> [Picture] {
        let near = pictures.filter { nearSize.contains($0.size) }
        return near.isEmpty
            ? Array(pictures.sorted { abs($0.size - 100_000) < abs($1.size - 100_000) }.prefix(3)) : near
    }

    private func compare(
        _ contest: Contest, _ pictures: [Picture], connections: Int, _ bench: Bench
    ) throws -> Block {
        let kilobytes = pictures.reduce(0) { $0 + $1.size } / pictures.count / 1_000
        let title = "\(pictures.count) warm pictures, \(kilobytes) KB on average, \(connections) under way"
        var seen = contest.subjects.map { _ in Seen() }
        for round in 1...bench.rounds {
            bench.progress.show("\(title), round \(round) of \(bench.rounds)")
            for (index, subject) in contest.subjects.enumerated() {
                let before = contest.edge.processorTime
                let tally = try HTTPCallers(port: subject.port, count: connections).keepAsking(
                    pictures.map(\.path), warmUpSeconds: bench.warmUpSeconds, seconds: bench.seconds)
                seen[index].add(tally, processorTime: contest.edge.processorTime - before)
            }
        }
        return block(title, contest.subjects, seen)
    }

    private func block(_ title: String, _ subjects: [Subject], _ seen: [Seen]) -> Block {
        let rates = seen.map { median($0.rate) }
        let slowest = seen.map { median($0.p99) }
        var block = Block(name: title, columns: Self.columns)
        for (index, subject) in subjects.enumerated() {
            let ratios = subject.isEdge ? [ratio(rates), ratio(slowest)] : [nil, nil]
            block.rows.append(
                Block.Row(
                    name: subject.name,
                    values: [
                        median(seen[index].p50), slowest[index], rates[index], median(seen[index].bytes), ratios[0],
                        ratios[1], subject.isEdge ? median(seen[index].processorTime) : nil,
                    ],
                    aims: [Self.enough.measured("requests/s ×", ratios[0]), Self.slowest.measured("p99 ×", ratios[1])]))
        }
        return block
    }

    /// The edge's value divided by nginx's.
    private func ratio(_ values: [Double?]) -> Double? {
        guard values.count > 1, let edge = values[0], let nginx = values[1] else { return nil }
        return edge / nginx
    }
}

extension WarmPictures.Seen {
    fileprivate mutating func add(_ tally: HTTPTally, processorTime time: Double) {
        let percentiles = tally.latencies.percentiles([0.5, 0.99])
        p50.append(percentiles[0])
        p99.append(percentiles[1])
        rate.append(tally.callsPerSecond)
        bytes.append(Double(tally.bytes) / tally.seconds / 1e6)
        processorTime.append(time / Double(tally.allCalls))
    }
}

extension RunningDeployment {
    /// The processor time of all its programs so far, in microseconds.
    fileprivate var processorTime: Double { services.reduce(0) { $0 + $1.process.processorTime } }
}
