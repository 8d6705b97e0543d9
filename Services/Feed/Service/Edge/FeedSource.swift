import Feed
import Foundation

/// Fetches a page from the upstream and maps it, whichever way the upstream pages.
/// - Parameter known: the cached answer to the same request, for a conditional request.
/// - Throws: `FeedSourceError`, `CancellationError`, or an error of the HTTP fetch.
typealias FeedSource = @Sendable (_ limit: Int, _ cursor: FeedCursor, _ known: KnownAnswer?) async throws -> SourcePage

/// The upstream's items at a cursor.
struct SourcePage: Sendable {
    var items: [FeedImage]
    var continuation = FeedContinuation.unknown

    /// Whether the page has fewer items than requested, and the upstream did not say whether more follow.
    var isShort = false

    /// When the upstream's answer was generated: now, less its `Age`.
    let savedAt: Date

    /// Whether the answer came from a cache, so that its `Age` is above 0.
    var isAged = false
    var validators: PageValidators?
}

extension SourcePage {
    /// - Parameters:
    ///   - limit: the number of requested items.
    ///   - url: the requested URL.
    /// - Throws: `FeedSourceError.rejected` for an answer that is not a page.
    init(_ answer: HTTPAnswer, limit: Int, url: String, now: Date) throws(FeedSourceError) {
        let age = answer.all("Age").first
        let continuation = FeedContinuation(links: answer.all("Link"))
        do throws(FeedRejection) {
            let items = try FeedItemsMapper.map(answer.body, statusCode: answer.status, page: url)
            self.init(
                items: items, continuation: continuation,
                isShort: items.count < limit && continuation == .unknown,
                savedAt: FeedCachePolicy.savedAt(now, age: age), isAged: FeedCachePolicy.seconds(age) > 0)
        } catch {
            throw .rejected(error)
        }
    }
}

/// Errors in an answer of the upstream.
enum FeedSourceError: Error, CustomStringConvertible {
    /// The upstream does not know the item of the cursor.
    case cursorRefused(UUID)
    case rejected(FeedRejection)

    var description: String {
        switch self {
        case .cursorRefused(let id): "it knows no item \(id.uuidString)"
        case .rejected(let rejection): "its answer cannot be used: \(rejection)"
        }
    }
}
