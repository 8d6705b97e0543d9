import BenchKit
import Foundation

/// A thousand concurrent clients that request a picture which is in no cache.
struct ColdPicture: Case {
    let name = "cold picture"

    fileprivate static let clients = 1_000

    private static let once = Aim.atMost(1)
    private static let soon = Aim.atMost(1.5)

    private static let columns = [
        Block.Column(title: "upstream", key: "upstream_requests", digits: 0),
        Block.Column(title: "cold ms", key: "cold_ms"), Block.Column(title: "warm ms", key: "warm_ms"),
        Block.Column(title: "fetch ms", key: "fetch_ms"),
        Block.Column(title: "(cold - fetch) / warm", key: "cold_ratio", digits: 2),
    ]

    /// The times of the rounds, in milliseconds.
    fileprivate struct Seen {
        var upstreamRequests = 0
        var cold: [Double] = []
        var warm: [Double] = []
        var fetch: [Double] = []
        var ratio: [Double] = []
    }

    func run(in bench: Bench) async throws -> [Block] {
        try await withBenchDirectory { directory in
            let picture = try bench.photos.jpeg(near: 100_000)
            let feed = PictureFeed(count: 1 + 2 * bench.rounds, of: picture)
            let origin = try await PictureOrigin.start { feed.answer($0.path, from: $0.origin) }
            let contest = try await Contest.start(in: directory, origin: origin.port)
            defer { contest.stop() }
            let paths = try await FeedWalk.ids(contest.edge.feed).map(FeedWalk.path)
            var seen = contest.subjects.map { _ in Seen() }
            for subject in contest.subjects { try HTTPCallers(port: subject.port, count: 1).askTogether(paths[0]) }
            for round in 1...bench.rounds {
                bench.progress.show("\(name), round \(round) of \(bench.rounds)")
                for (index, subject) in contest.subjects.enumerated() {
                    try seen[index].add(
                        subject, warm: paths[0], cold: paths[2 * round - 1], other: paths[2 * round], origin.counter)
                }
            }
            try await origin.stop()
            let title = "\(Self.clients) clients, one cold picture of \(picture.count / 1_000) KB"
            return [block(title, contest.subjects, seen)]
        }
    }

    private func block(_ title: String, _ subjects: [Subject], _ seen: [Seen]) -> Block {
        var block = Block(name: title, columns: Self.columns)
        for (subject, seen) in zip(subjects, seen) {
            let ratio = median(seen.ratio)
            let aims = [
                Self.once.measured("upstream requests", Double(seen.upstreamRequests)),
                Self.soon.measured("time", ratio),
            ]
            block.rows.append(
                Block.Row(
                    name: subject.name,
                    values: [
                        Double(seen.upstreamRequests), median(seen.cold), median(seen.warm), median(seen.fetch), ratio,
                    ], aims: subject.isEdge ? aims : []))
        }
        return block
    }
}

extension ColdPicture.Seen {
    /// Adds one round of a subject.
    /// - Parameters:
    ///   - cold: a picture that was not requested before, like `other`.
    fileprivate mutating func add(
        _ subject: Subject, warm: String, cold: String, other: String, _ counter: RequestCounter
    ) throws {
        let crowd = try HTTPCallers(port: subject.port, count: ColdPicture.clients)
        // Open the connections before measuring.
        try crowd.askTogether(warm)
        let warmTime = try milliseconds(crowd, warm)
        let before = counter.count(of: cold)
        let coldTime = try milliseconds(crowd, cold)
        upstreamRequests = max(upstreamRequests, counter.count(of: cold) - before)
        let single = try HTTPCallers(port: subject.port, count: 1)
        let fetchTime = try milliseconds(single, other) - milliseconds(single, other)
        self.warm.append(warmTime)
        self.cold.append(coldTime)
        fetch.append(fetchTime)
        ratio.append((coldTime - fetchTime) / warmTime)
    }

    private func milliseconds(_ callers: HTTPCallers, _ path: String) throws -> Double {
        Double(try callers.askTogether(path)) / 1e6
    }
}
