import BenchKit
import FeedContract
import Foundation
import RPC

/// Compares pages at the top and at the bottom of a long feed, with the real feed-service and its store.
struct FeedPages: Case {
    let items: Int

    var name: String { "feed of \(items)" }
    let comparesSubjects = false

    private static let callsPerRound = 1_000

    private struct Page {
        let subject: String
        let params: LoadFeed
        var measured: [Latencies] = []
    }

    func run(in bench: Bench) async throws -> Findings {
        try await withBenchDirectory { root in
            let service = try await RunningService.start("feed-service", name: "feed", root: root)
            defer { service.process.stop() }
            return try await RPCClient.withConnection(to: service.socket, as: "rpc-bench") { client in
                var pages = try await fill(client, bench.progress)
                try await measure(&pages, client, bench)
                let resident = try Memory(of: service.process.id).resident
                return Findings(calls: pages.map { finding($0, resident) })
            }
        }
    }

    private func fill(_ client: RPCClient, _ progress: ProgressLine) async throws -> [Page] {
        let batch = FeedContract.maximumBatch
        var ids: [UUID] = []
        for number in 0..<items / batch {
            let items = (0..<batch).map { _ in
                let hash = "\(UUID())\(UUID())".filter(\.isHexDigit).lowercased()
                return FeedItem(
                    id: UUID(), description: "A picture of something that is worth a sentence", location: "Somewhere",
                    image: "urn:sha256:\(hash)")
            }
            _ = try await client.call(FeedContract.publish, PublishedItems(items: items))
            // The newest batch is at the top, and within a batch the first item.
            if ids.count < 2 * batch { ids = items.map(\.id) + ids }
            if number % 100 == 0 { progress.show("filling a feed: \(number * batch) of \(self.items) items") }
        }
        return [10, 100].flatMap { size in
            [
                Page(subject: "first page of \(size)", params: LoadFeed(limit: size)),
                Page(
                    subject: "last page of \(size)",
                    params: LoadFeed(limit: size, afterID: ids[ids.count - size - 1])),
            ]
        }
    }

    private func measure(_ pages: inout [Page], _ client: RPCClient, _ bench: Bench) async throws {
        for round in 1...bench.rounds {
            bench.progress.show("\(name), round \(round) of \(bench.rounds)")
            for index in Turns.order(Array(pages.indices), inRound: round) {
                var latencies = Latencies()
                for _ in 0..<Self.callsPerRound {
                    let start = MonotonicTime.now()
                    let loaded = try await client.call(FeedContract.load, pages[index].params)
                    latencies.add(MonotonicTime.now() - start)
                    guard loaded.items.count == pages[index].params.limit else {
                        throw Failure("the \(pages[index].subject) has \(loaded.items.count) items")
                    }
                }
                pages[index].measured.append(latencies)
            }
        }
    }

    private func finding(_ page: Page, _ resident: Int) -> CallFinding {
        let rounds = page.measured.map { latencies in
            let percentiles = latencies.percentiles([0.5, 0.99])
            return Round(
                p50: percentiles[0], p99: percentiles[1],
                callsPerSecond: Double(latencies.count) / latencies.totalSeconds)
        }
        return CallFinding(name: name, subject: page.subject, rounds: rounds, resident: resident)
    }
}
