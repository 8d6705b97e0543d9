import EdgeKit
import EdgeModel
import Feed
import Foundation

/// Fetches from an upstream that pages by cursor, as this project's own API does.
struct KeysetSource {
    let endpoint: FeedEndpoint
    let fetch: UpstreamFetch
    let now: @Sendable () -> Date

    /// Whether the cache has this item.
    let knows: @Sendable (UUID) async throws -> Bool

    func page(
        _ limit: Int, at cursor: FeedCursor, known: KnownAnswer?, isFresh: Bool
    ) async throws -> FetchedFeedPage {
        let url = endpoint.page(limit, at: cursor)
        let answer = try await fetch(
            url, (known?.validators.conditions ?? []) + (isFresh ? [UpstreamAnswer.fromNoCache] : []))
        if answer.status == UpstreamAnswer.notModified, let known {
            let links = answer.all("Link")
            var page = FetchedFeedPage(
                known.items, links.isEmpty ? known.continuation : FeedContinuation(links: links), of: answer, limit,
                at: cursor, now: now())
            page.validators = known.validators
            page.isMonitored = answer.isMonitored
            return page
        }
        if answer.status == 400, let id = cursor.id {
            guard UpstreamProblem.kind(of: answer.body) == nil, try await knows(id) else { throw cursor.unknownError }
            throw UpstreamMonitor.Failure.rejected("its status is 400, and its body is no problem document")
        }
        var page = try await FetchedFeedPage(answer, from: url, limit, at: cursor, now: now())
        page.validators = answer.validators
        page.isMonitored = answer.isMonitored
        return page
    }
}
