import BenchKit
import Foundation

/// Measures the time from a client's disconnect until the origin sees its connection close, through gateway and service.
struct Cancelling: Case {
    let name = "cancelling"

    private static let aim = Aim.atMost(50)

    private static let columns = [
        Block.Column(title: "p50 ms", key: "p50_ms", digits: 2),
        Block.Column(title: "p99 ms", key: "p99_ms", digits: 2),
        Block.Column(title: "worst ms", key: "worst_ms", digits: 2),
    ]

    /// The number of clients per round.
    private static let clients = 20
    private static let busyConnections = 64

    /// The longest wait for an event that normally takes milliseconds.
    private static let patience: Int64 = 10_000_000_000

    func run(in bench: Bench) async throws -> [Block] {
        try await withBenchDirectory { directory in
            let feed = PictureFeed(count: 1 + Self.clients, of: try bench.photos.jpeg(near: 100_000))
            let warm = feed.paths[0]
            let origin = try await PictureOrigin.start(isSilent: { $0 != warm && $0.hasPrefix("/v1/image/") }) {
                feed.answer($0.path, from: $0.origin)
            }
            let port = try FreePort.find()
            let edge = try await RunningDeployment.start(
                root: directory + "/edge", http: "127.0.0.1:\(port)", upstream: origin.url)
            defer { edge.stop() }
            _ = try await FeedWalk.ids(edge.feed)
            try HTTPCallers(port: port, count: 1).askTogether(warm)
            let silent = feed.paths.dropFirst()
            var (idle, busy) = ([Double](), [Double]())
            for round in 1...bench.rounds {
                bench.progress.show("\(name), round \(round) of \(bench.rounds)")
                idle += try times(silent, port, origin.counter)
                let load = Thread.keepAsking(port, warm, connections: Self.busyConnections)
                defer { load.cancel() }
                busy += try times(silent, port, origin.counter)
            }
            try await origin.stop()
            var block = Block(name: name, columns: Self.columns)
            for (name, times) in [
                ("nothing else", idle), ("\(Self.busyConnections) clients ask for warm pictures", busy),
            ] {
                let sorted = times.sorted()
                let p99 = sorted[(sorted.count * 99 - 1) / 100]
                block.rows.append(
                    Block.Row(
                        name: name, values: [median(sorted), p99, sorted[sorted.count - 1]],
                        aims: [Self.aim.measured("p99", p99)]))
            }
            return [block]
        }
    }

    /// The times in milliseconds.
    private func times(_ paths: ArraySlice<String>, _ port: Int, _ counter: RequestCounter) throws -> [Double] {
        try paths.map { path in
            let client = try HTTPCallers(port: port, count: 1)
            let before = counter.count(of: path)
            try client.ask(path)
            try wait { counter.count(of: path) > before }
            let start = MonotonicTime.now()
            client.hangUp()
            var end: Int64?
            try wait {
                end = counter.lost(path).flatMap { $0 > start ? $0 : nil }
                return end != nil
            }
            return Double((end ?? start) - start) / 1e6
        }
    }

    private func wait(_ isOver: () -> Bool) throws {
        let end = MonotonicTime.now() + Self.patience
        while !isOver() {
            guard MonotonicTime.now() < end else { throw Failure("the origin sees no disconnect of a client") }
            usleep(100)
        }
    }
}

extension Thread {
    /// Keeps connections busy until the thread is cancelled.
    fileprivate static func keepAsking(_ port: Int, _ path: String, connections: Int) -> Thread {
        let thread = Thread {
            while !Thread.current.isCancelled {
                // An error means that the edge has stopped.
                guard let callers = try? HTTPCallers(port: port, count: connections),
                    (try? callers.keepAsking([path], warmUpSeconds: 0, seconds: 0.1)) != nil
                else { return }
            }
        }
        thread.start()
        return thread
    }
}
