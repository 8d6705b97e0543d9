import Feed
import Foundation
import GRDB
import SQLiteKit

/// An edge's copy of the feed in one SQLite file. Reads run where they are called, in microseconds; writes wait for the
/// disk elsewhere.
struct SQLiteFeedCache: FeedCache {
    private let pool: DatabasePool

    init(_ pool: DatabasePool) { self.pool = pool }

    /// Another kind of file than an authority's store: neither is ever taken for the other.
    static let opening = StoreOpening(applicationID: "IFfc", migrator: FeedCacheSchema.migrator, isCache: true)

    func item(_ id: UUID) throws -> FeedImage? { try pool.read { try CacheAxis(db: $0).item(id) } }

    func passed(_ ids: [UUID], at cursor: FeedCursor) throws -> Set<UUID> {
        guard let id = cursor.id else { return [] }
        let heading = Heading(cursor)
        return try pool.read { db in
            guard let place = try CachePlace.of(id, db), let run = try CacheRun.at(place, heading, db) else {
                return []
            }
            return try PageKeeper.passed(ids, from: place.position, in: run, heading, db)
        }
    }

    func page(_ limit: Int, at cursor: FeedCursor) throws -> CachedFeedPage? {
        let heading = Heading(cursor)
        return try pool.read { db in
            let run: CacheRun?
            var range: ClosedRange<Int64>?
            if let id = cursor.id {
                guard let place = try CachePlace.of(id, db) else { return nil }
                run = try CacheRun.at(place, heading, db)
                range = run.flatMap { heading.ahead(of: place.position, in: $0) }
            } else {
                run = try CacheRun.head(db)
                range = run.map { $0.low...($0.start ?? $0.high) }
            }
            guard let run else { return nil }
            let items = try range.map { try CacheAxis(db: db).items($0, heading, limit: limit + 1) } ?? []
            let endIsKnown = heading == .down ? run.isComplete : run.start != nil
            guard !items.isEmpty || endIsKnown else { return nil }
            let page = Array(items.prefix(limit))
            return CachedFeedPage(
                items: heading == .down ? page : page.reversed(), isLast: endIsKnown && items.count <= limit,
                savedAt: run.savedAt)
        }
    }

    func answer(_ limit: Int, at cursor: FeedCursor) throws -> KnownAnswer? {
        try pool.read { try KnownAnswers(db: $0).find(limit, at: cursor) }
    }

    func keep(_ page: FetchedFeedPage) async throws -> KeptFeedPage? {
        try await pool.write { db in
            var keeper = try PageKeeper(page, db)
            let kept = try keeper.keep()
            try KnownAnswers(db: db).keep(page)
            return kept
        }
    }

    func dropExpired(at now: Date) async throws -> Bool {
        try await pool.write { db in
            let expired = try CacheRun.all(db).filter { !FeedCachePolicy.isValid(savedAt: $0.savedAt, at: now) }
            for run in expired { try CacheAxis(db: db).drop(run) }
            return !expired.isEmpty
        }
    }

    func checkIntegrity() async throws { try await pool.checkIntegrity() }
}
