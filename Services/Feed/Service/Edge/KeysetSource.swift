import EdgeModel
import Feed
import Foundation

/// Fetches from an upstream that pages by cursor, as this project's own API does.
struct KeysetSource {
    let endpoint: FeedEndpoint
    let fetch: UpstreamFetch
    let now: @Sendable () -> Date

    func page(_ limit: Int, at cursor: FeedCursor, known: KnownAnswer?) async throws -> FetchedFeedPage {
        let url = endpoint.page(limit, at: cursor)
        let answer = try await fetch(url, known?.validators.conditions ?? [])
        if answer.status == UpstreamAnswer.notModified, let known {
            let links = answer.all("Link")
            var page = FetchedFeedPage(
                known.items, links.isEmpty ? known.continuation : FeedContinuation(links: links), of: answer, limit,
                at: cursor, now: now())
            page.validators = known.validators
            return page
        }
        if answer.status == 400, cursor.id != nil { throw cursor.unknownError }
        var page = try await FetchedFeedPage(answer, from: url, limit, at: cursor, now: now())
        page.validators = answer.validators
        return page
    }
}
