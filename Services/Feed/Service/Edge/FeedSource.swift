import EdgeKit
import EdgeModel
import Feed
import Foundation

/// Fetches a page from the upstream and maps it, whichever way the upstream pages.
/// - Parameter known: the cached answer to the same request, for a conditional request.
/// - Throws: `RPCError` when the upstream does not know the cursor, `UpstreamMonitor.Failure`, `CancellationError`, or an error of
///   the HTTP fetch.
typealias FeedSource = @Sendable (_ limit: Int, _ cursor: FeedCursor, _ known: KnownAnswer?) async throws -> SourcePage

/// The upstream's items at a cursor.
struct SourcePage: Sendable {
    var items: [FeedImage]
    let continuation: FeedContinuation

    /// Whether the page has fewer items than requested, and the upstream did not say whether more follow.
    let isShort: Bool

    /// When the upstream's answer was generated: now, less its `Age`.
    let savedAt: Date

    /// Whether the answer came from a cache, so that its `Age` is above 0.
    let isAged: Bool

    /// Empty when the page combines several answers.
    var validators = AnswerValidators()
}

extension SourcePage {
    /// - Parameters:
    ///   - limit: the number of requested items.
    ///   - url: the requested URL.
    /// - Throws: `UpstreamMonitor.Failure.rejected` for an answer that is not a page.
    init(_ answer: UpstreamAnswer, limit: Int, url: String, now: Date) throws {
        let continuation = FeedContinuation(links: answer.all("Link"))
        do throws(FeedRejection) {
            let items = try FeedItemsMapper.map(answer.body, statusCode: answer.status, page: url)
            self.init(items, continuation, of: answer, limit: limit, now: now)
        } catch {
            throw UpstreamMonitor.Failure.rejected("\(error)")
        }
    }

    init(_ items: [FeedImage], _ continuation: FeedContinuation, of answer: UpstreamAnswer, limit: Int, now: Date) {
        self.init(
            items: items, continuation: continuation, isShort: items.count < limit && continuation == .unknown,
            savedAt: now.addingTimeInterval(-TimeInterval(answer.age)), isAged: answer.age > 0)
    }
}
