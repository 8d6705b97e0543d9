import BenchKit
import Foundation

/// The web page as the server renders it: the first one after the start, and later ones.
struct FirstHTML: Case {
    let name = "first HTML"

    private static let aim = Aim.atMost(20)

    private static let columns = [
        Block.Column(title: "p50 ms", key: "p50_ms", digits: 2),
        Block.Column(title: "p99 ms", key: "p99_ms", digits: 2),
        Block.Column(title: "worst ms", key: "worst_ms", digits: 2),
    ]

    private static let requests = 500

    func run(in bench: Bench) async throws -> [Block] {
        try await withBenchDirectory { directory in
            var (firsts, laters, bytes) = ([Double](), [Double](), 0)
            for round in 1...bench.rounds {
                bench.progress.show("\(name), round \(round) of \(bench.rounds)")
                let (root, port) = ("\(directory)/\(round)", try FreePort.find())
                let deployment = try await RunningDeployment.start(root: root, http: "127.0.0.1:\(port)")
                defer { deployment.stop() }
                try bench.photos.publish(to: root)
                let first = try Exchange(port: port, "/", Self.fields)
                guard first.status == 200 else { throw Failure("the page has status \(first.status)") }
                bytes = first.body.count
                firsts.append(first.milliseconds)
                for _ in 0..<Self.requests {
                    laters.append(try Exchange(port: port, "/", Self.fields).milliseconds)
                }
            }
            var block = Block(name: "\(name) of \(bytes / 1_000) KB, 1 under way", columns: Self.columns)
            block.rows.append(row("the first after the start", firsts))
            block.rows.append(row("later ones", laters))
            return [block]
        }
    }

    private static let fields = ["Accept: text/html", "Accept-Language: en"]

    private func row(_ name: String, _ times: [Double]) -> Block.Row {
        let sorted = times.sorted()
        let p99 = sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        return Block.Row(
            name: name, values: [median(times), p99, sorted.last], aims: [Self.aim.measured("p99 ms", p99)])
    }
}
