import BenchKit
import FeedContract
import Foundation
import RPC

/// Reads the whole feed of a deployment, so that an edge caches it.
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

    /// The gateway's path of an item's picture.
    static func path(of id: UUID) -> String { "/v1/image/\(id.uuidString)/data" }
}
