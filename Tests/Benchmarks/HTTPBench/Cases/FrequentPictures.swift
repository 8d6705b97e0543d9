import BenchKit
import Foundation

/// Many cached pictures of an edge, the first ones much more often than the others, compared with nginx in front of the same
/// origin.
struct FrequentPictures: Case {
    let name = "frequent pictures"

    private static let enough = Aim.atLeast(0.4)

    private static let columns =
        WrkRounds.columns + [
            Block.Column(title: "requests/s ×", key: "requests_per_s_ratio", digits: 2)
        ]

    /// The number of connections that request every picture once, so that it is cached.
    private static let warming = 8

    func run(in bench: Bench) async throws -> [Block] {
        guard Wrk.isInstalled else { throw LeftOut(subject: name, reason: Wrk.needs) }
        return try await withBenchDirectory { directory in
            let picture = try bench.photos.jpeg(near: 25_000)
            let feed = PictureFeed(count: bench.isQuick ? 500 : 10_000, of: picture)
            let origin = try await PictureOrigin.start { feed.answer($0.path, from: $0.origin) }
            let contest = try await Contest.start(in: directory, origin: origin.port)
            defer { contest.stop() }
            let paths = try await FeedWalk.ids(contest.edge.feed).map(FeedWalk.path)
            for subject in contest.subjects {
                bench.progress.show("\(subject.name) fetches \(paths.count) pictures")
                try HTTPCallers(port: subject.port, count: Self.warming).askEach(paths)
            }
            let title = "\(paths.count) pictures of \(picture.count / 1_000) KB by Zipf's law, 64 under way"
            var subjects = contest.subjects.map {
                WrkRounds(name: $0.name, load: Wrk(port: $0.port, paths: paths, exponent: 1), isOurs: $0.isEdge)
            }
            try WrkRounds.measure(&subjects, title, in: directory, contest.edge.services.map(\.process), bench)
            try await origin.stop()
            var block = Block(name: title, columns: Self.columns)
            let rival = subjects.first { !$0.isOurs }?.requestsPerSecond
            for subject in subjects {
                let ratio = subject.isOurs ? subject.requestsPerSecond.flatMap { rate in rival.map { rate / $0 } } : nil
                block.rows.append(subject.row(ratio: ratio, aims: [Self.enough.measured("requests/s ×", ratio)]))
            }
            return [block]
        }
    }
}
