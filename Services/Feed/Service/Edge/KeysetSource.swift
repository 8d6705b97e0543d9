import Feed
import Foundation

/// Fetches from an upstream that pages by cursor, as this project's own API does.
struct KeysetSource {
    let endpoint: FeedEndpoint
    let fetch: HTTPFetch
    let now: @Sendable () -> Date

    func page(_ limit: Int, at cursor: FeedCursor, known: KnownAnswer?) async throws -> SourcePage {
        let url = endpoint.page(limit, at: cursor)
        let answer = try await fetch(url, Self.conditions(known?.validators))
        if answer.status == 304, let known {
            let age = answer.all("Age").first
            let links = answer.all("Link")
            let continuation = links.isEmpty ? known.continuation : FeedContinuation(links: links)
            return SourcePage(
                items: known.items, continuation: continuation,
                isShort: known.items.count < limit && continuation == .unknown,
                savedAt: FeedCachePolicy.savedAt(now(), age: age), isAged: FeedCachePolicy.seconds(age) > 0,
                validators: known.validators)
        }
        if answer.status == 400, let id = cursor.id { throw FeedSourceError.cursorRefused(id) }
        var page = try SourcePage(answer, limit: limit, url: url, now: now())
        page.validators = PageValidators(
            etag: answer.all("ETag").first, lastModified: answer.all("Last-Modified").first)
        return page
    }

    private static func conditions(_ validators: PageValidators?) -> [(name: String, value: String)] {
        [("If-None-Match", validators?.etag), ("If-Modified-Since", validators?.lastModified)]
            .compactMap { name, value in value.map { (name, $0) } }
    }
}
