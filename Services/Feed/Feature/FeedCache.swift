import Foundation

/// An item, and when the upstream last showed it.
public struct CachedFeedItem: Sendable, Equatable {
    public let image: FeedImage
    public let savedAt: Date

    public init(_ image: FeedImage, savedAt: Date) { (self.image, self.savedAt) = (image, savedAt) }
}

/// An edge's cache of its upstream's feed: which item follows which, and when the upstream said so.
///
/// Each page states that its first item follows the cursor and that each further item follows the one before it. A newer
/// answer replaces older statements about the same items, so each item has one place: that in the newest answer. Items
/// that follow one another without a gap are a run. Where an answer leaves in doubt what follows an item, its run ends. Where an item
/// has moved away, the cache remembers which items it was between: once the upstream says what follows there, those that it passes
/// over were removed.
public protocol FeedCache: Sendable {
    /// Which of these items a reader at `cursor` has already passed, as far as the cursor's run shows.
    func passed(_ ids: [UUID], at cursor: FeedCursor) async throws -> Set<UUID>

    /// Stores a page, completely or not at all.
    func keep(_ page: FetchedFeedPage) async throws -> FeedCacheChange

    /// Removes items that the upstream has removed, unless it has shown them since then. They remain cursors.
    /// - Parameter time: when the upstream said that it has removed them.
    /// - Returns: those that were cached.
    func remove(_ ids: [UUID], at time: Date) async throws -> [UUID]

    /// The valid items at the cursor; nil when the cache has none.
    func page(_ limit: Int, at cursor: FeedCursor, now: Date) async throws -> CachedFeedPage?

    func item(_ id: UUID) async throws -> CachedFeedItem?

    /// The first valid items with ids in a range, by their ids.
    func items(withIDs ids: ClosedRange<UUID>, limit: Int, now: Date) async throws -> [FeedImage]

    /// The number of items.
    func count() async throws -> Int

    /// The upstream's last answer to exactly this request; nil when one of its items is no longer cached.
    func answer(_ limit: Int, at cursor: FeedCursor) async throws -> KnownAnswer?

    /// - Returns: the deleted items.
    func dropExpired(at now: Date) async throws -> [UUID]

    /// Checks everything in the store.
    /// - Throws: an error when stored data is inconsistent.
    func checkIntegrity() async throws
}
