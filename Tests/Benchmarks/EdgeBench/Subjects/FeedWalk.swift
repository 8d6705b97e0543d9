import BenchKit
import FeedContract
import Foundation
import RPC

/// The whole feed of a deployment, which by that an edge has shown.
enum FeedWalk {
    static func ids(_ feed: RunningService) async throws -> [UUID] {
        try await RPCClient.withConnection(to: feed.socket, as: "bench") { client in
            var ids: [UUID] = []
            while true {
                let page = try await client.call(
                    FeedContract.load, LoadFeed(limit: FeedContract.maximumBatch, afterID: ids.last))
                guard !page.items.isEmpty else { return ids }
                ids += page.items.map(\.id)
            }
        }
    }

    /// Where the gateway has the picture of an item.
    static func path(of id: UUID) -> String { "/v1/image/\(id.uuidString)/data" }
}
