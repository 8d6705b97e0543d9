import Feed
import FeedContract
import Foundation
import GRDB
import RPC
import SQLiteKit
import ServiceKit

/// An edge's cache of the feed in one SQLite file. Page reads take microseconds and run on the caller's thread. Longer
/// reads, and writes, which wait for the disk, run on other threads.
struct SQLiteFeedCache: FeedCache {
    let store: Store
    private let budget: Int

    init(_ store: Store, budget: Int = FeedCachePolicy.budget) {
        (self.store, self.budget) = (store, budget)
    }

    /// The application id differs from that of an authority's store, so neither file can be opened as the other.
    static let opening = StoreOpening(applicationID: "IFfc", migrator: FeedCacheSchema.migrator, isCache: true)

    func item(_ id: UUID) async throws -> CachedFeedItem? {
        try await store.read { try CacheLinks(db: $0).item(id) }
    }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int, now: Date) async throws -> [FeedImage] {
        let expired = now.timeIntervalSince1970 - FeedCachePolicy.lifetime
        let found = try await store.ifThere {
            try await store.read { db in
                let statement = try db.cachedStatement(
                    sql: """
                        SELECT \(FeedImage.columns) FROM node WHERE id BETWEEN ? AND ? AND state = 1 AND saved_at > ?
                        ORDER BY id LIMIT ?
                        """)
                let arguments: StatementArguments = [ids.lowerBound, ids.upperBound, expired, limit]
                return try Array(Row.fetchCursor(statement, arguments: arguments).map(FeedImage.init(row:)))
            }
        }
        return found ?? []
    }

    func count() async throws -> Int {
        try await store.ifThere {
            try await store.readApart { try Int.fetchOne($0, sql: "SELECT count(*) FROM node WHERE state = 1") ?? 0 }
        } ?? 0
    }

    func passed(_ ids: [UUID], at cursor: FeedCursor) async throws -> Set<UUID> {
        guard let id = cursor.id else { return [] }
        return try await store.readApart {
            try CacheLinks(db: $0).ids(beside: id, upward: cursor.isDownward, limit: Self.furthestPassed)
        }.intersection(ids)
    }

    /// How many items beside a cursor `passed` finds.
    private static let furthestPassed = 10_000

    func page(_ limit: Int, at cursor: FeedCursor, now: Date) async throws -> CachedFeedPage? {
        try await store.read { db in
            let links = CacheLinks(db: db)
            guard let start = try cursor.id.map(links.node) ?? links.node(CacheNode.beginning) else { return nil }
            let walk = try CacheWalk(links, from: start, downward: cursor.isDownward, count: limit + 1, now: now)
            let items = try walk.items(limit, links)
            guard let savedAt = walk.nodes.prefix(items.count).map(\.savedAt).min() ?? walk.endedAt else { return nil }
            return CachedFeedPage(
                items: cursor.isDownward ? items : items.reversed(),
                isLast: walk.endedAt != nil && walk.nodes.count == items.count, savedAt: savedAt)
        }
    }

    func answer(_ limit: Int, at cursor: FeedCursor) async throws -> KnownAnswer? {
        try await store.read { try KnownAnswers(db: $0).find(limit, at: cursor) }
    }

    func keep(_ page: FetchedFeedPage) async throws -> FeedCacheChange {
        try await store.write { [budget] db in
            var keeper = try PageKeeper(page, budget: budget, db)
            let change = try keeper.keep()
            try KnownAnswers(db: db).keep(page)
            for part in change.parts { try ChangeTable.append(part.stored, db) }
            return change
        }
    }

    func remove(_ ids: [UUID], at time: Date) async throws -> [UUID] {
        try await store.write { db in
            let links = CacheLinks(db: db)
            let removed = try ids.filter { try links.remove($0, at: time) }
            if !removed.isEmpty { try ChangeTable.append(FeedChange.removed(removed).stored, db) }
            return removed
        }
    }

    func dropExpired(at now: Date) async throws -> [UUID] {
        let limit = now.addingTimeInterval(-FeedCachePolicy.lifetime)
        var (expired, hasMore) = ([UUID](), true)
        while hasMore {
            // A load that stores a page waits for one batch at most.
            let dropped = try await store.write { db in
                let links = CacheLinks(db: db)
                var dropped: [CacheNode] = []
                while dropped.count < Self.batch, let node = try links.oldest(before: limit) {
                    dropped.append(node)
                    try links.delete(node)
                }
                let items = dropped.filter { $0.state == .item }.compactMap(\.id)
                if !items.isEmpty { try ChangeTable.append(FeedChange.forgotten(items).stored, db) }
                return (items: items, isFull: dropped.count == Self.batch)
            }
            expired += dropped.items
            hasMore = dropped.isFull
        }
        return expired
    }

    /// The maximum number of nodes that one transaction deletes.
    private static let batch = 500

    func checkIntegrity() async throws {
        try await store.validate { try CacheLinks(db: $0).damage() }
    }
}

extension SQLiteFeedCache: ChangeLog {
    func lastChange() async throws -> ChangeMark { try await store.lastChange() }

    func news(after mark: ChangeMark?) async throws -> ChangeNews<FeedChange>? {
        try await store.news(after: mark, decode: FeedChange.init(stored:))
    }
}

extension FeedCacheChange {
    /// What watchers are told, in this order.
    fileprivate var parts: [FeedChange] {
        [
            removed.isEmpty ? nil : .removed(removed), new.isEmpty ? nil : .published(new),
            found.isEmpty ? nil : .found(found), evicted.isEmpty ? nil : .forgotten(evicted),
        ].compactMap(\.self)
    }
}

/// The valid items in one direction from a node.
private struct CacheWalk {
    private(set) var nodes: [CacheNode] = []

    /// When the upstream said that nothing follows the last node; nil when that is unknown or no longer valid.
    private(set) var endedAt: Date?

    init(_ links: CacheLinks, from cursor: CacheNode, downward: Bool, count: Int, now: Date) throws {
        guard var last = try downward ? cursor : links.place(of: cursor) else { return }
        var removed = 0
        while nodes.count < count, let number = try downward ? last.next : links.predecessor(of: last.number) {
            last = try links.node(number)
            switch last.state {
            // Only a removed cursor leads to a removed item.
            case .removed:
                removed += 1
                if removed > CacheLinks.longestWalk { return }
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

    /// At most `limit` items, and at most `FeedCachePolicy.pageBytes`, except for a single larger item.
    func items(_ limit: Int, _ links: CacheLinks) throws -> [FeedImage] {
        var (items, bytes) = ([FeedImage](), 0)
        for node in nodes.prefix(limit) {
            guard let item = try links.image(node.number) else { break }
            bytes += item.weight
            if !items.isEmpty, bytes > FeedCachePolicy.pageBytes { break }
            items.append(item)
        }
        return items
    }

    private mutating func end(_ time: Date, _ now: Date) {
        if FeedCachePolicy.isValid(savedAt: time, at: now) { endedAt = time }
    }
}
