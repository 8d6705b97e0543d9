import BenchKit
import FeedContract
import Foundation
import RPC

/// Pages of the feed through the gateway and feed-service, compared with one process that reads the same file with
/// hummingbird.
struct FeedPage: Case {
    let name = "feed page"

    private static let enough = Aim.atLeast(0.5)
    private static let slowest = Aim.atMost(10)
    private static let faster = Aim.atLeast(1)

    private static let columns =
        WrkRounds.columns + [
            Block.Column(title: "requests/s ×", key: "requests_per_s_ratio", digits: 2)
        ]

    func run(in bench: Bench) async throws -> [Block] {
        guard Wrk.isInstalled else { throw LeftOut(subject: name, reason: Wrk.needs) }
        return try await withBenchDirectory { directory in
            let port = try FreePort.find()
            let deployment = try await RunningDeployment.start(
                root: directory + "/authority", http: "127.0.0.1:\(port)")
            defer { deployment.stop() }
            let ids = try await fill(deployment.feed, count: bench.isQuick ? 2_000 : 50_000, bench.progress)
            let rival = try bench.hummingbird.map {
                try Hummingbird.start($0, root: directory + "/authority", base: "http://127.0.0.1:\(port)")
            }
            defer { rival?.process.stop() }
            let page = try Exchange(port: port, "/v1/feed")
            if let rival, try Exchange(port: rival.port, "/v1/feed").body != page.body {
                throw Failure("the two servers answer with different pages")
            }
            var subjects = try self.subjects(port, page, ids, rival)
            try WrkRounds.measure(
                &subjects, name, in: directory, [deployment.gateway.process, deployment.feed.process], bench)
            return [block(subjects, bytes: page.body.count)]
        }
    }

    /// Publishes items. Returns their ids.
    private func fill(_ feed: RunningService, count: Int, _ progress: ProgressLine) async throws -> [UUID] {
        progress.show("publishing \(count) items")
        return try await RPCClient.withConnection(to: feed.socket, as: "bench") { client in
            var ids: [UUID] = []
            while ids.count < count {
                let items = (0..<FeedContract.maximumBatch).map { number in
                    FeedItem(
                        id: UUID(), description: "Picture \(ids.count + number) of something that is worth a sentence",
                        location: "Porto Covo, Portugal", image: "https://example.org/\(ids.count + number).jpg")
                }
                _ = try await client.call(FeedContract.publish, PublishedItems(items: items))
                ids += items.map(\.id)
            }
            return ids
        }
    }

    private func subjects(
        _ port: Int, _ page: Exchange, _ ids: [UUID], _ rival: Hummingbird?
    ) throws -> [WrkRounds] {
        guard let tag = page.fields["etag"] else { throw Failure("the page has no ETag") }
        let first = ["/v1/feed"]
        return [
            WrkRounds(name: "gateway and feed-service", load: Wrk(port: port, paths: first)),
            WrkRounds(
                name: "the same, 304", load: Wrk(port: port, paths: first, fields: ["If-None-Match: \(tag)"])),
            WrkRounds(
                name: "the same, gzip", load: Wrk(port: port, paths: first, fields: ["Accept-Encoding: gzip"])),
            WrkRounds(
                name: "pages after \(ids.count) different items",
                load: Wrk(port: port, paths: ids.map { "/v1/feed?after_id=\($0.uuidString)" })),
        ]
            + (rival.map { [WrkRounds(name: "hummingbird", load: Wrk(port: $0.port, paths: first), isOurs: false)] }
                ?? [])
    }

    private func block(_ subjects: [WrkRounds], bytes: Int) -> Block {
        var block = Block(name: "a page of 10 items, \(bytes) bytes, 64 under way", columns: Self.columns)
        let rival = subjects.first { !$0.isOurs }?.requestsPerSecond
        let whole = subjects[0].requestsPerSecond
        for (index, subject) in subjects.enumerated() {
            let rate = subject.requestsPerSecond
            let ratio = rate.flatMap { rate in rival.map { rate / $0 } }
            let aims =
                switch index {
                case 0: [Self.enough.measured("requests/s ×", ratio), Self.slowest.measured("p99 ms", subject.p99)]
                case 1:
                    [
                        Self.faster.measured(
                            "requests/s × those of 200", rate.flatMap { rate in whole.map { rate / $0 } })
                    ]
                default: [] as [MeasuredAim?]
                }
            block.rows.append(subject.row(ratio: subject.isOurs ? ratio : nil, aims: aims))
        }
        return block
    }
}
