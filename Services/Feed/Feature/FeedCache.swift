import Foundation

/// What an upstream has said about its feed: which item follows which, and when it said so.
///
/// The cache is a set of contiguous runs. Every page says that its first item follows the cursor and each further item the
/// one before. A newer answer replaces what older answers said about the same items, so an item has one place: that of the
/// newest answer. Nothing else is derived, except that a run closes over items that were removed or have moved within it.
public protocol FeedCache: Sendable {
    /// Which of these a reader at `cursor` has passed already, as far as the cursor's run knows.
    func passed(_ ids: [UUID], at cursor: FeedCursor) async throws -> Set<UUID>

    /// Stores a page, completely or not at all.
    /// - Returns: nil when there is no store.
    func keep(_ page: FetchedFeedPage) async throws -> KeptFeedPage?

    /// The valid items at the cursor; nil when nothing valid is known there.
    func page(_ limit: Int, at cursor: FeedCursor, now: Date) async throws -> CachedFeedPage?

    func item(_ id: UUID) async throws -> FeedImage?

    /// The upstream's last answer to exactly this request, if all of its items are still in the cache.
    func answer(_ limit: Int, at cursor: FeedCursor) async throws -> KnownAnswer?

    /// - Returns: whether anything was dropped.
    func dropExpired(at now: Date) async throws -> Bool

    /// - Throws: `FeedStoreError.damaged` when stored data cannot be right.
    func checkIntegrity() async throws
}
