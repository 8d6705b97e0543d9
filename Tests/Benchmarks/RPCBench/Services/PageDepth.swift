import FeedContract
import Foundation
import NIOCore
import RPC

/// Pages of ten at the top and at the bottom of a long feed: the real feed-service with its real store, side by side.
struct PageDepth {
    let depth: Int
    let rounds: Int
    let progress: Progress

    private static let callsPerRound = 2_000

    func run() async throws -> [CaseResult] {
        try await withBenchDirectory { root in
            let service = try BenchProcess.start("feed-service", name: "feed", root: root)
            defer { service.stop() }
            return try await RPCClient.withConnection(to: service.socket, as: "rpc-bench") { client in
                let bottom = try await fill(client)
                return try await measure(client, bottom: bottom)
            }
        }
    }

    /// - Returns: an item that has ten below it, and all others above.
    private func fill(_ client: RPCClient) async throws -> UUID {
        var bottom = UUID()
        let batch = FeedContract.maximumBatch
        for number in 0..<depth / batch {
            let items = (0..<batch).map { _ in
                FeedItem(
                    id: UUID(), description: "A picture of something that is worth a sentence", location: "Somewhere",
                    image: "urn:sha256:\(UUID().uuidString.lowercased())")
            }
            _ = try await client.call(FeedContract.publish, PublishedItems(items: items))
            if number == 0 { bottom = items[batch - 11].id }
            if number % 100 == 0 { progress.show("filling a feed: \(number * batch) of \(depth) items") }
        }
        return bottom
    }

    private func measure(_ client: RPCClient, bottom: UUID) async throws -> [CaseResult] {
        let pages = [
            (subject: "first page", params: LoadFeed(limit: 10)),
            (subject: "last page", params: LoadFeed(limit: 10, afterID: bottom)),
        ]
        var measured: [[Latencies]] = [[], []]
        for round in 1...rounds {
            progress.show("pages, round \(round) of \(rounds)")
            for (index, page) in pages.enumerated() {
                var latencies = Latencies()
                for _ in 0..<Self.callsPerRound {
                    let start = NIODeadline.now()
                    let loaded = try await client.call(FeedContract.load, page.params)
                    latencies.add(.now() - start)
                    precondition(loaded.items.count == 10)
                }
                measured[index].append(latencies)
            }
        }
        return zip(pages, measured).map { page, rounds in
            CaseResult(name: "feed of \(depth)", subject: page.subject, rounds: rounds)
        }
    }
}
