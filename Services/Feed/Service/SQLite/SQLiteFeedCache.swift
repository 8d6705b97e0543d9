import Feed
import Foundation
import GRDB
import SQLiteKit

/// An edge's copy of the feed in one SQLite file. Reads run where they are called, in microseconds; writes wait for the
/// disk elsewhere.
struct SQLiteFeedCache: FeedCache {
    private let pool: DatabasePool
    private let budget: Int

    init(_ pool: DatabasePool, budget: Int = FeedCachePolicy.budget) { (self.pool, self.budget) = (pool, budget) }

    /// Another kind of file than an authority's store: neither is ever taken for the other.
    static let opening = StoreOpening(applicationID: "IFfc", migrator: FeedCacheSchema.migrator, isCache: true)

    func item(_ id: UUID) throws -> FeedImage? { try pool.read { try CacheLinks(db: $0).image(id) } }

    func passed(_ ids: [UUID], at cursor: FeedCursor) throws -> Set<UUID> {
        guard let id = cursor.id else { return [] }
        return try pool.read { try CacheLinks(db: $0).ids(beside: id, upward: cursor.isDownward) }.intersection(ids)
    }

    func page(_ limit: Int, at cursor: FeedCursor, now: Date) throws -> CachedFeedPage? {
        try pool.read { db in
            let links = CacheLinks(db: db)
            guard let start = try cursor.id.map(links.node) ?? links.node(CacheNode.beginning) else { return nil }
            let walk = try CacheWalk(links, from: start, downward: cursor.isDownward, count: limit + 1, now: now)
            let nodes = walk.nodes.prefix(limit)
            guard let savedAt = nodes.map(\.savedAt).min() ?? walk.endedAt else { return nil }
            let items = try nodes.compactMap { try links.image($0.number) }
            return CachedFeedPage(
                items: cursor.isDownward ? items : items.reversed(),
                isLast: walk.endedAt != nil && walk.nodes.count <= limit, savedAt: savedAt)
        }
    }

    func answer(_ limit: Int, at cursor: FeedCursor) throws -> KnownAnswer? {
        try pool.read { try KnownAnswers(db: $0).find(limit, at: cursor) }
    }

    func keep(_ page: FetchedFeedPage) async throws -> KeptFeedPage? {
        try await pool.write { db in
            let kept = try PageKeeper(page, budget: budget, db).keep()
            try KnownAnswers(db: db).keep(page)
            return kept
        }
    }

    func dropExpired(at now: Date) async throws -> Bool {
        try await pool.write { db in
            let links = CacheLinks(db: db)
            let limit = now.addingTimeInterval(-FeedCachePolicy.lifetime)
            var hasExpired = false
            while let node = try links.oldest(before: limit) {
                if node.state == .item { hasExpired = true }
                try links.delete(node)
            }
            return hasExpired
        }
    }

    func checkIntegrity() async throws { try await pool.checkIntegrity() }
}

/// The valid items in one direction from a node.
private struct CacheWalk {
    private(set) var nodes: [CacheNode] = []

    /// When the upstream said that nothing follows the last of them; nil when that is not known, or not valid any more.
    private(set) var endedAt: Date?

    init(_ links: CacheLinks, from start: CacheNode, downward: Bool, count: Int, now: Date) throws {
        var last = start
        while nodes.count < count, let number = downward ? last.next : last.prev {
            last = try links.node(number)
            switch last.state {
            case .removed: continue
            case .unseen:
                if last.isBeginning { end(last.savedAt, now) }
                return
            case .item:
                guard FeedCachePolicy.isValid(savedAt: last.savedAt, at: now) else { return }
                nodes.append(last)
            }
        }
        if downward, let endedAt = last.endedAt { end(endedAt, now) }
    }

    private mutating func end(_ time: Date, _ now: Date) {
        if FeedCachePolicy.isValid(savedAt: time, at: now) { endedAt = time }
    }
}
