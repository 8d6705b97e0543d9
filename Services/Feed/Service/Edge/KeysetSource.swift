import Feed
import Foundation

/// An upstream that pages by cursors, as this project's own API does.
struct KeysetSource {
    let endpoint: FeedEndpoint
    let fetch: HTTPFetch
    let now: @Sendable () -> Date

    func page(_ limit: Int, at cursor: FeedCursor, known: KnownAnswer?) async throws -> SourcePage {
        let answer = try await fetch(endpoint.page(limit, at: cursor), Self.conditions(known?.validators))
        let age = answer.all("Age").first
        let (now, links) = (now(), answer.all("Link"))
        var page = SourcePage(
            items: [], savedAt: FeedCachePolicy.savedAt(now, age: age), isAged: FeedCachePolicy.seconds(age) > 0)
        if answer.status == 304, let known {
            page.items = known.items
            page.continuation = links.isEmpty ? known.continuation : FeedContinuation(links: links)
            page.validators = known.validators
            return page
        }
        if answer.status == 400, let id = cursor.id { throw FeedSourceError.cursorRefused(id) }
        do throws(FeedRejection) {
            page.items = try FeedItemsMapper.map(answer.body, statusCode: answer.status)
        } catch {
            throw FeedSourceError.rejected(error)
        }
        page.continuation = FeedContinuation(links: links)
        page.validators = PageValidators(
            etag: answer.all("ETag").first, lastModified: answer.all("Last-Modified").first)
        return page
    }

    private static func conditions(_ validators: PageValidators?) -> [(name: String, value: String)] {
        [("If-None-Match", validators?.etag), ("If-Modified-Since", validators?.lastModified)]
            .compactMap { name, value in value.map { (name, $0) } }
    }
}
