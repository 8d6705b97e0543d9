import Foundation

/// What an upstream has shown, as contiguous runs of its feed. A page fetched at a cursor replaces what its run held
/// between the cursor and the page's last item; a first page that shares an item with a run is spliced onto it, else it
/// starts a new head run; runs that meet are joined. No id is in the cache twice.
public protocol FeedCache: Sendable {
    /// Which of these a reader at `cursor` has passed already, as far as the cursor's run knows.
    func passed(_ ids: [UUID], at cursor: FeedCursor) async throws -> Set<UUID>

    /// Takes a page in, as a whole or not at all.
    /// - Returns: nil when nothing is kept here.
    func keep(_ page: FetchedFeedPage) async throws -> KeptFeedPage?

    /// What is known to lie at the cursor; nil when nothing is: not the cursor, or nothing beyond it.
    func page(_ limit: Int, at cursor: FeedCursor) async throws -> CachedFeedPage?

    func item(_ id: UUID) async throws -> FeedImage?

    /// The page that the upstream has answered to this very request, if all of it is still here.
    func answer(_ limit: Int, at cursor: FeedCursor) async throws -> KnownAnswer?

    /// - Returns: whether something had expired.
    func dropExpired(at now: Date) async throws -> Bool

    /// - Throws: `FeedStoreError.damaged` when some of what is stored cannot be right.
    func checkIntegrity() async throws
}
