import EdgeKit
import EdgeModel
import Feed
import Foundation

/// Fetches a page from the upstream and maps it, whichever way the upstream pages.
/// - Parameters:
///   - known: the cached answer to the same request, for a conditional request.
///   - isFresh: whether the answer must come from no cache between this edge and the upstream's store.
/// - Throws: `RPCError` when the upstream does not know the cursor, `UpstreamMonitor.Failure`, `CancellationError`, or an error of
///   the HTTP fetch.
typealias FeedSource =
    @Sendable (_ limit: Int, _ cursor: FeedCursor, _ known: KnownAnswer?, _ isFresh: Bool) async throws ->
    FetchedFeedPage

extension FetchedFeedPage {
    /// - Parameters:
    ///   - url: the requested URL.
    ///   - limit: the number of requested items.
    /// - Throws: `UpstreamMonitor.Failure.rejected` for an answer that is not a page.
    init(_ answer: UpstreamAnswer, from url: String, _ limit: Int, at cursor: FeedCursor, now: Date) async throws {
        let continuation = FeedContinuation(links: answer.all("Link"))
        let items = try await mapped { () throws(FeedRejection) in
            try FeedItemsMapper.map(answer.body, statusCode: answer.status, page: answer.url ?? url)
        }
        self.init(items, continuation, of: answer, limit, at: cursor, now: now)
    }

    /// A page without validators.
    init(
        _ items: [FeedImage], _ continuation: FeedContinuation, of answer: UpstreamAnswer, _ limit: Int,
        at cursor: FeedCursor, now: Date
    ) {
        self.init(
            items: items, limit: limit, cursor: cursor, savedAt: answer.savedAt(receivedAt: now),
            age: answer.age, continuation: continuation,
            isShort: items.count < limit && continuation == .unknown)
    }
}

/// Maps an answer on another thread, because a long one would block the event loop.
/// - Throws: `UpstreamMonitor.Failure.rejected`.
func mapped<Value: Sendable>(_ map: @Sendable () throws(FeedRejection) -> Value) async throws -> Value {
    do throws(FeedRejection) {
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(FeedRejection) in
            try map()
        }
    } catch {
        throw UpstreamMonitor.Failure.rejected("\(error)")
    }
}
