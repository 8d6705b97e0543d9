import BenchKit
import FeedContract
import Foundation
import ImageDataContract
import RPC

/// Compares a picture that an authority has fetched for a reader with one that was put.
struct AuthorityPictures: Case {
    let name = "an authority's pictures"

    private static let aim = Aim.atMost(1.1)
    private static let connections = [1, 64]

    /// The number of loads per round.
    private static let loads = 200

    private static let columns = [
        Block.Column(title: "put µs", key: "put_us"), Block.Column(title: "fetched µs", key: "fetched_us"),
        Block.Column(title: "×", key: "ratio", digits: 2),
    ]

    /// The URLs and paths of the two pictures.
    private struct Pictures {
        let putURL: String
        let fetchedURL: String
        let put = UUID()
        let fetched = UUID()

        /// The order of measurement.
        var urls: [String] { [putURL, fetchedURL] }
        var paths: [String] { [put, fetched].map(FeedWalk.path) }
    }

    func run(in bench: Bench) async throws -> [Block] {
        try await withBenchDirectory { directory in
            let picture = try bench.photos.jpeg(near: 100_000)
            let origin = try await PictureOrigin.start { _ in
                PictureOrigin.Answer(contentType: "image/jpeg", body: NumberedPicture.jpeg(picture, 1))
            }
            let port = try FreePort.find()
            let authority = try await RunningDeployment.start(
                root: directory + "/authority", http: "127.0.0.1:\(port)",
                imageData: ["--allow-private-upstream", "127.0.0.1:\(origin.port)"])
            defer { authority.stop() }
            let pictures = try await publish(NumberedPicture.jpeg(picture, 2), "\(origin.url)/picture", authority)
            for path in pictures.paths { try HTTPCallers(port: port, count: 1).askTogether(path) }
            var block = Block(name: "\(name), \(picture.count / 1_000) KB", columns: Self.columns)
            block.rows.append(
                row("image-data.load", try await rounds(bench) { try await loads(pictures, authority.imageData) }))
            for count in Self.connections {
                block.rows.append(
                    row(
                        "over HTTP, \(count) under way",
                        try await rounds(bench) { try asks(pictures, port, connections: count, bench) }))
            }
            guard origin.counter.total == 1 else { throw Failure("the origin was asked \(origin.counter.total) times") }
            try await origin.stop()
            return [block]
        }
    }

    private func publish(_ put: Data, _ url: String, _ authority: RunningDeployment) async throws -> Pictures {
        let putURL = try await RPCClient.withConnection(to: authority.imageData.socket, as: "bench") { client in
            try await client.call(ImageDataContract.put, PutImage(data: Bytes(put))).url
        }
        let pictures = Pictures(putURL: putURL, fetchedURL: url)
        let items = [
            FeedItem(id: pictures.put, image: putURL), FeedItem(id: pictures.fetched, image: url),
        ]
        _ = try await RPCClient.withConnection(to: authority.feed.socket, as: "bench") { client in
            try await client.call(FeedContract.publish, PublishedItems(items: items))
        }
        return pictures
    }

    /// - Returns: the medians over the rounds for the two pictures.
    private func rounds(_ bench: Bench, _ measure: () async throws -> [Double]) async throws -> [Double?] {
        var found: [[Double]] = [[], []]
        for round in 1...bench.rounds {
            bench.progress.show("\(name), round \(round) of \(bench.rounds)")
            for (index, time) in try await measure().enumerated() { found[index].append(time) }
        }
        return found.map { median($0) }
    }

    /// The times in microseconds, measuring the two pictures alternately.
    private func loads(_ pictures: Pictures, _ service: RunningService) async throws -> [Double] {
        try await RPCClient.withConnection(to: service.socket, as: "bench") { client in
            var times: [[Double]] = [[], []]
            for number in 0..<2 * Self.loads {
                let start = MonotonicTime.now()
                _ = try await client.call(ImageDataContract.load, LoadImage(url: pictures.urls[number % 2]))
                times[number % 2].append(Double(MonotonicTime.now() - start) / 1_000)
            }
            return times.map { median($0) ?? 0 }
        }
    }

    private func asks(_ pictures: Pictures, _ port: Int, connections: Int, _ bench: Bench) throws -> [Double] {
        try pictures.paths.map { path in
            try HTTPCallers(port: port, count: connections).keepAsking(
                [path], warmUpSeconds: bench.warmUpSeconds, seconds: bench.seconds
            ).latencies.percentiles([0.5])[0]
        }
    }

    private func row(_ name: String, _ times: [Double?]) -> Block.Row {
        let ratio = times.compactMap(\.self).count == 2 ? (times[1] ?? 0) / (times[0] ?? 1) : nil
        return Block.Row(name: name, values: times + [ratio], aims: [Self.aim.measured("×", ratio)])
    }
}
