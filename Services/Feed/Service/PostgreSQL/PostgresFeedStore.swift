import EdgeModel
import Feed
import FeedContract
import Foundation
import JSON
import PostgresKit
import ServiceKit

/// The feed and its changes in a PostgreSQL database, which several services may serve.
struct PostgresFeedStore: FeedStore {
    private let store: PostgresStore

    init(_ store: PostgresStore) { self.store = store }

    // MARK: Reading

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice {
        try await store.read { db in
            let rows: PostgresRows
            let (more, first) = (PostgresParameter.value(Int64(limit + 1)), PostgresParameter.value(Int64.max))
            switch cursor {
            case .start: rows = try db.execute(Self.firstPage, first, more)
            case .after(let id): rows = try db.execute(Self.pageAfter, .value(id), more)
            case .before(let id): rows = try db.execute(Self.pageBefore, .value(id), more)
            }
            let items = try rows.map(FeedImage.init(row:))
            if items.isEmpty, let id = cursor.id { try Self.check(id, db) }
            let page = items.prefix(limit)
            return FeedSlice(items: cursor.isDownward ? Array(page) : page.reversed(), hasMore: items.count > limit)
        }
    }

    // Pages are ranges of the primary key: the last page of a feed costs as much as the first. A cursor and its page are read in one
    // statement, which costs one round trip.

    private static let position = """
        (SELECT position FROM item WHERE id = $1 UNION ALL SELECT position FROM tombstone WHERE id = $1)
        """

    static let firstPage = """
        SELECT \(FeedImage.columns) FROM item WHERE position < $1 ORDER BY position DESC LIMIT $2
        """
    static let pageAfter = """
        SELECT \(FeedImage.columns) FROM item WHERE position < \(position) ORDER BY position DESC LIMIT $2
        """
    static let pageBefore = """
        SELECT \(FeedImage.columns) FROM item WHERE position > \(position) ORDER BY position LIMIT $2
        """

    /// - Throws: `unknownCursor` for an id that no item has had.
    private static func check(_ id: UUID, _ db: PostgresConnection) throws {
        guard try db.execute("SELECT \(position)", .value(id)).first?.find(0, as: Int64.self) != nil else {
            throw FeedStoreError.unknownCursor(id)
        }
    }

    func item(_ id: UUID) async throws -> FeedImage? { try await items([id]).first }

    func items(_ ids: [UUID]) async throws -> [FeedImage] {
        try await store.read { db in
            let items = try Self.items(ids, db)
            return ids.compactMap { items[$0] }
        }
    }

    private static func items(_ ids: [UUID], _ db: PostgresConnection) throws -> [UUID: FeedImage] {
        let rows = try db.execute("SELECT \(FeedImage.columns) FROM item WHERE id = ANY ($1)", .array(ids))
        return Dictionary(
            try rows.map {
                let item = try FeedImage(row: $0); return (item.id, item)
            }
        ) { first, _ in first }
    }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int) async throws -> [FeedImage] {
        try await store.read { db in
            try db.execute(
                "SELECT \(FeedImage.columns) FROM item WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3",
                .value(ids.lowerBound), .value(ids.upperBound), .value(Int64(limit))
            ).map(FeedImage.init(row:))
        }
    }

    func count() async throws -> Int {
        try await store.read { Int(try $0.execute("SELECT items FROM total").first?.decode(0, as: Int64.self) ?? 0) }
    }

    func checkIntegrity() async throws {
        try await store.validate { db in
            let isCounted = try db.execute("SELECT items = (SELECT count(*) FROM item) FROM total").first?
                .decode(0, as: Bool.self)
            return isCounted == true ? nil : "the number of items is wrong"
        }
    }

    // MARK: Writing

    func publish(_ items: [FeedImage], now: Date) async throws -> [FeedImage] { try await publish(items, undated: now) }

    /// - Parameter date: of the new items that have none; nil for no date.
    private func publish(_ items: [FeedImage], undated date: Date?) async throws -> [FeedImage] {
        try await store.write { db in
            let stored = try Self.items(items.map(\.id), db)
            var (known, new) = (stored, [UUID]())
            // Positions grow towards the top, so the last item is inserted first.
            for item in items.reversed() {
                guard let present = known[item.id] else {
                    known[item.id] = (item.publishedAt ?? date).map(item.published) ?? item
                    new.append(item.id)
                    continue
                }
                guard present.hasContent(of: item) else { throw FeedStoreError.conflict(item.id) }
                known[item.id] = present.with(present.hints.completed(by: item.hints))
                    .with(present.details.completed(by: item.details))
            }
            for (id, item) in known where stored[id].map({ $0 != item }) ?? false { try Self.complete(item, db) }
            guard !new.isEmpty else { return [] }
            let added = new.compactMap { known[$0] }
            try Self.insert(added, db)
            try PostgresChanges.append(FeedChange.published(added.reversed()).stored, db)
            return added.reversed()
        }
    }

    /// Adds items at the top, the last one highest.
    private static func insert(_ items: [FeedImage], _ db: PostgresConnection) throws {
        try db.execute(
            """
            WITH revived AS (DELETE FROM tombstone WHERE id = ANY ($1)), counted AS (
                UPDATE total SET items = items + $11, position = position + $11 RETURNING position - $11 AS below
            )
            INSERT INTO item (position, \(FeedImage.columns))
            SELECT below + number, id, description, location, image, width, height, placeholder, published_at, tags, details
            FROM counted, unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) WITH ORDINALITY
                AS new (\(FeedImage.columns), number)
            """, .array(items.map(\.id)), .array(items.map(\.description)), .array(items.map(\.location)),
            .array(items.map(\.image)), .array(items.map { $0.hints.width.map(Int64.init) }),
            .array(items.map { $0.hints.height.map(Int64.init) }), .array(items.map(\.hints.placeholder?.bytes)),
            .array(items.map(\.publishedSeconds)), .array(items.map(\.tagsText)), .array(items.map(\.detailsText)),
            .value(Int64(items.count)))
    }

    private static func complete(_ item: FeedImage, _ db: PostgresConnection) throws {
        try db.execute(
            "UPDATE item SET width = $2, height = $3, placeholder = $4, details = $5 WHERE id = $1", .value(item.id),
            .value(item.hints.width.map(Int64.init)), .value(item.hints.height.map(Int64.init)),
            .value(item.hints.placeholder?.bytes), .value(item.detailsText))
    }

    func remove(_ ids: [UUID]) async throws -> [UUID] {
        try await store.write { db in
            let removed = try db.execute(
                """
                WITH gone AS (DELETE FROM item WHERE id = ANY ($1) RETURNING id, position), kept AS (
                    INSERT INTO tombstone SELECT id, position FROM gone
                ), counted AS (
                    UPDATE total SET items = items - (SELECT count(*) FROM gone)
                )
                SELECT id FROM gone ORDER BY position DESC
                """, .array(ids)
            ).map { try $0.decode(0, as: UUID.self) }
            if !removed.isEmpty { try PostgresChanges.append(FeedChange.removed(removed).stored, db) }
            return removed
        }
    }
}

// MARK: - Copying

extension PostgresFeedStore: CopiedStore {
    func entries(after place: Int64, limit: Int) async throws -> [(place: Int64, entry: FeedImage)] {
        try await store.read { db in
            try db.execute(
                "SELECT \(FeedImage.columns), position FROM item WHERE position > $1 ORDER BY position LIMIT $2",
                .value(place), .value(Int64(limit))
            ).map { (place: try $0.decode(10), entry: try FeedImage(row: $0)) }
        }
    }

    func add(_ entries: [FeedImage]) async throws { _ = try await publish(entries.reversed(), undated: nil) }
}

// MARK: - Changes

extension PostgresFeedStore: ChangeLog {
    func lastChange() async throws -> ChangeMark { try await store.lastChange() }

    func news(after mark: ChangeMark?) async throws -> ChangeNews<FeedChange>? {
        try await store.news(after: mark, decode: FeedChange.init(stored:))
    }
}
