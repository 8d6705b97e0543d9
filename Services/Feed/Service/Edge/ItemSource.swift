import EdgeKit
import EdgeModel
import Feed
import Foundation
import RPC

/// Fetches one item from the upstream. An upstream that has pages only answers that it has no such item.
struct ItemSource: Sendable {
    let endpoint: FeedEndpoint
    let fetch: UpstreamFetch
    let now: @Sendable () -> Date

    /// The statuses of an upstream that has no such item, or no such path.
    private static let absent: Set = [400, 404, 405, 410]

    /// The item, and when the upstream's answer was generated.
    /// - Throws: `not_found` when the upstream has no such item, `UpstreamMonitor.Failure`, `CancellationError`, or an
    ///   error of the HTTP fetch.
    func item(_ id: UUID) async throws -> CachedFeedItem {
        let url = endpoint.item(id)
        let answer = try await fetch(url, [])
        if Self.absent.contains(answer.status) {
            throw RPCError(.notFound, "the upstream has no item \(id.uuidString)")
        }
        let item = try await mapped { () throws(FeedRejection) in
            try FeedItemsMapper.mapItem(id, answer.body, statusCode: answer.status, page: answer.url ?? url)
        }
        return CachedFeedItem(item, savedAt: answer.savedAt(receivedAt: now()))
    }
}
