import BenchKit
import Foundation
import ImageDataContract
import NIOCore
import RPC

/// Prefetches ten thousand pictures from a slow origin.
struct Prefetching: Case {
    let name = "prefetching"

    private static let pictures = 10_000
    private static let delay = TimeAmount.milliseconds(5)

    /// The default of image-data-service for the number of concurrent fetches.
    private static let bound = Aim.atMost(6)
    private static let memory = Aim.atMost(50)

    private static let columns = [
        Block.Column(title: "idle MB", key: "idle_mb"), Block.Column(title: "at most MB", key: "peak_mb"),
        Block.Column(title: "more MB", key: "more_mb"), Block.Column(title: "afterwards MB", key: "after_mb"),
        Block.Column(title: "under way", key: "most_under_way", digits: 0),
        Block.Column(title: "fetched", key: "fetched", digits: 0), Block.Column(title: "s", key: "seconds"),
    ]

    func run(in bench: Bench) async throws -> [Block] {
        let pictures = bench.isQuick ? Self.pictures / 10 : Self.pictures
        return try await withBenchDirectory { root in
            let origin = try await PictureOrigin.start(delay: Self.delay) { request in
                Int(request.path.dropFirst()).map {
                    PictureOrigin.Answer(contentType: "image/gif", body: NumberedPicture.gif($0))
                }
            }
            let service = try await RunningService.start(
                "image-data-service", ["--upstream", origin.url], name: "image-data", root: root)
            defer { service.process.stop() }
            let urls = (0..<pictures).map { "\(origin.url)/\($0)" }
            bench.progress.show("prefetching \(pictures) pictures")
            let block = try await measure(service, urls, origin.counter)
            try await origin.stop()
            return [block]
        }
    }

    private func measure(_ service: RunningService, _ urls: [String], _ counter: RequestCounter) async throws -> Block {
        let idle = try Memory(of: service.process.id)
        let start = MonotonicTime.now()
        let (accepted, peak) = try await withThrowingTaskGroup(of: Peak.self) { group in
            group.addTask { try await Peak.watch(service.process.id) }
            let accepted = try await prefetch(urls, service.socket)
            group.cancelAll()
            return (accepted, try await group.next() ?? Peak())
        }
        let seconds = Double(MonotonicTime.now() - start) / 1e9
        let after = try Memory(of: service.process.id)
        var block = Block(name: "\(urls.count) prefetches", columns: Self.columns)
        let counts = [Double(counter.mostUnderWay), Double(accepted), seconds]
        for (name, kind, peak) in [
            ("RSS", \Memory.resident, peak.resident), ("PSS", \.proportional, peak.proportional),
        ] {
            let more = Self.megabytes(peak - idle[keyPath: kind])
            block.rows.append(
                Block.Row(
                    name: name,
                    values: [
                        Self.megabytes(idle[keyPath: kind]), Self.megabytes(peak), more,
                        Self.megabytes(after[keyPath: kind]),
                    ] + counts,
                    aims: [Self.memory.measured("MB more", more), Self.bound.measured("under way", counts[0])]))
        }
        return block
    }

    /// - Returns: the number of accepted pictures.
    private func prefetch(_ urls: [String], _ socket: SocketPath) async throws -> Int {
        try await RPCClient.withConnection(to: socket, as: "bench") { client in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for start in stride(from: 0, to: urls.count, by: ImageDataContract.maximumBatch) {
                    let part = Array(urls[start..<min(start + ImageDataContract.maximumBatch, urls.count)])
                    group.addTask {
                        try await client.call(
                            ImageDataContract.prefetch, PrefetchImages(urls: part), CallOptions(timeout: .minutes(10))
                        ).accepted
                    }
                }
                return try await group.reduce(0, +)
            }
        }
    }

    private static func megabytes(_ kilobytes: Int) -> Double { Double(kilobytes) * 1_024 / 1e6 }
}

/// The peak memory of a process while it is watched, in kilobytes.
private struct Peak {
    var resident = 0
    var proportional = 0

    private static let pause = Duration.milliseconds(20)

    /// Watches until the task is cancelled.
    static func watch(_ process: pid_t) async throws -> Peak {
        var peak = Peak()
        while !Task.isCancelled {
            let memory = try Memory(of: process)
            peak.resident = max(peak.resident, memory.resident)
            peak.proportional = max(peak.proportional, memory.proportional)
            // On cancellation the sleep throws, and the loop's condition ends the loop.
            try? await Task.sleep(for: pause)
        }
        return peak
    }
}
