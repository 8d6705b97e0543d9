import BenchKit
import Foundation
import ImageDataContract
import RPC

/// Measures lookup, load, single flight and eviction with few and with many cached pictures.
struct CachedPictures: Case {
    let name = "cached pictures"

    private static let aim = Aim.atMost(2)

    func run(in bench: Bench) async throws -> [Block] {
        let counts = [1_000, bench.isQuick ? 100_000 : 1_000_000]
        return try await withBenchDirectory { directory in
            let origin = try await PictureOrigin.start { request in
                Int(request.path.dropFirst("/new/".count)).map {
                    PictureOrigin.Answer(contentType: "image/gif", body: NumberedPicture.gif($0))
                }
            }
            var stores: [CachedPicturesRound] = []
            defer { stores.forEach { $0.service.process.stop() } }
            for count in counts {
                bench.progress.show("keeping \(count) pictures")
                stores.append(try await start(count, root: "\(directory)/\(count)", origin))
            }
            for round in 0...bench.rounds {
                bench.progress.show("\(name), round \(round) of \(bench.rounds)")
                // Round 0 is the warm-up.
                for index in stores.indices { try await stores[index].measure(round, counts: round > 0) }
            }
            try await origin.stop()
            return [block(counts, stores)]
        }
    }

    private func start(_ count: Int, root: String, _ origin: PictureOrigin) async throws -> CachedPicturesRound {
        let store = try await CachedStore.make(root: root, upstream: origin.url)
        let urls = CachedPictureURLs(base: origin.url + "/kept/")
        let weight = try store.fill(urls, count: count)
        let service = try await RunningService.start(
            "image-data-service", ["--upstream", origin.url], name: "image-data", root: root)
        return CachedPicturesRound(service: service, kept: urls, count: count, weight: weight, origin: origin)
    }

    private func block(_ counts: [Int], _ stores: [CachedPicturesRound]) -> Block {
        let columns = counts.map { Block.Column(title: "µs with \($0)", key: "us_with_\($0)") }
        let ratio = Block.Column(title: "×", key: "ratio", digits: 2)
        var block = Block(name: name, columns: columns + [ratio])
        for operation in CachedPicturesRound.Operation.allCases {
            let times = stores.map { median($0.times[operation] ?? []) }
            let ratio = times.compactMap(\.self).count == 2 ? (times[1] ?? 0) / (times[0] ?? 1) : nil
            block.rows.append(
                Block.Row(name: operation.rawValue, values: times + [ratio], aims: [Self.aim.measured("×", ratio)]))
        }
        return block
    }
}

/// A service with a number of cached pictures, and its measurements.
struct CachedPicturesRound {
    enum Operation: String, CaseIterable {
        case lookup = "look up, 100 per call"
        case load = "load from disk"
        case flight = "100 callers, one new picture"
        case eviction = "evict, 10 per call"
    }

    let service: RunningService
    let kept: CachedPictureURLs
    let count: Int
    let weight: Int
    let origin: PictureOrigin

    /// The times in microseconds.
    var times: [Operation: [Double]] = [:]

    private static let lookupCalls = 20
    private static let loads = 100
    private static let flights = 5
    private static let callers = 100
    private static let evictionCalls = 5
    private static let evictedAtOnce = 10

    /// - Parameter counts: false for the warm-up.
    mutating func measure(_ round: Int, counts: Bool) async throws {
        let found = try await RPCClient.withConnection(to: service.socket, as: "bench") { [self] client in
            [
                (Operation.lookup, try await lookups(client)), (.load, try await loads(client)),
                (.flight, try await flights(client, round)), (.eviction, try await evictions(client, round)),
            ]
        }
        for (operation, times) in found where counts { self.times[operation, default: []] += times }
    }

    /// A picture of the more recently used half, which is not evicted.
    private var anyCached: String { kept[Int.random(in: count / 2..<count)] }

    private func lookups(_ client: RPCClient) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<Self.lookupCalls {
            let urls = (0..<ImageDataContract.maximumBatch).map { _ in anyCached }
            let start = MonotonicTime.now()
            let answer = try await client.call(ImageDataContract.prefetch, PrefetchImages(urls: urls))
            times.append(microseconds(since: start) / Double(urls.count))
            guard answer.accepted == 0 else { throw Failure("\(answer.accepted) pictures are not cached") }
        }
        return times
    }

    private func loads(_ client: RPCClient) async throws -> [Double] {
        var times: [Double] = []
        for _ in 0..<Self.loads {
            let url = anyCached
            let start = MonotonicTime.now()
            _ = try await client.call(ImageDataContract.load, LoadImage(url: url, policy: .cold, strategy: .cacheOnly))
            times.append(microseconds(since: start))
        }
        return times
    }

    private func flights(_ client: RPCClient, _ round: Int) async throws -> [Double] {
        var times: [Double] = []
        for number in 0..<Self.flights {
            let path = "/new/\(count + round * Self.flights + number)"
            let url = origin.url + path
            let before = origin.counter.count(of: path)
            let start = MonotonicTime.now()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.callers {
                    group.addTask { _ = try await client.call(ImageDataContract.load, LoadImage(url: url)) }
                }
                try await group.waitForAll()
            }
            times.append(microseconds(since: start))
            let asked = origin.counter.count(of: path) - before
            guard asked == 1 else { throw Failure("the origin was asked \(asked) times for one picture") }
        }
        return times
    }

    private func evictions(_ client: RPCClient, _ round: Int) async throws -> [Double] {
        let each = weight / count
        var times: [Double] = []
        for number in 1...Self.evictionCalls {
            let gone = (round * Self.evictionCalls + number) * Self.evictedAtOnce
            let start = MonotonicTime.now()
            let evicted = try await client.call(ImageDataContract.evict, .toBytes(weight - gone * each))
            guard evicted.count > 0 else { throw Failure("nothing was evicted") }
            times.append(microseconds(since: start) / Double(evicted.count))
        }
        return times
    }

    private func microseconds(since start: Int64) -> Double { Double(MonotonicTime.now() - start) / 1_000 }
}
