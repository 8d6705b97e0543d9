import EdgeModel
import Feed
import FeedContract
import Foundation
import GRDB
import JSON
import SQLiteKit
import ServiceKit

/// The feed and its changes in one SQLite file. Reads take microseconds and run on the caller's thread; writes wait for the disk on
/// another thread.
struct SQLiteFeedStore: FeedStore {
    private let store: Store

    init(_ store: Store) { self.store = store }

    static let opening = StoreOpening(applicationID: "IFfe", migrator: FeedSchema.migrator)

    // MARK: Reading

    func slice(_ limit: Int, at cursor: FeedCursor) async throws -> FeedSlice {
        try await store.read { db in
            switch cursor {
            case .start: try Self.slice(limit, after: .max, db)
            case .after(let id): try Self.slice(limit, after: Self.position(of: id, db), db)
            case .before(let id): try Self.slice(limit, before: Self.position(of: id, db), db)
            }
        }
    }

    func item(_ id: UUID) async throws -> FeedImage? {
        try await store.read { try Self.item(id, $0) }
    }

    func items(_ ids: [UUID]) async throws -> [FeedImage] {
        try await store.read { db in
            let items = try Self.items(ids, db)
            return ids.compactMap { items[$0] }
        }
    }

    func items(withIDs ids: ClosedRange<UUID>, limit: Int) async throws -> [FeedImage] {
        try await store.read { db in
            try Self.images(
                db, "SELECT \(FeedImage.columns) FROM item WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
                [ids.lowerBound, ids.upperBound, limit])
        }
    }

    func count() async throws -> Int {
        try await store.read { try Int.fetchOne($0.cachedStatement(sql: "SELECT items FROM total")) ?? 0 }
    }

    func checkIntegrity() async throws {
        try await store.validate { db in
            let isCounted = try Bool.fetchOne(db, sql: "SELECT (SELECT items FROM total) = (SELECT count(*) FROM item)")
            return isCounted == true ? nil : "the number of items is wrong"
        }
    }

    // Pages are ranges of the primary key: the last page of a feed costs as much as the first.

    private static func slice(_ limit: Int, after position: Int64, _ db: Database) throws -> FeedSlice {
        let rows = try images(
            db, "SELECT \(FeedImage.columns) FROM item WHERE position < ? ORDER BY position DESC LIMIT ?",
            [position, limit + 1])
        return FeedSlice(items: Array(rows.prefix(limit)), hasMore: rows.count > limit)
    }

    private static func slice(_ limit: Int, before position: Int64, _ db: Database) throws -> FeedSlice {
        let rows = try images(
            db, "SELECT \(FeedImage.columns) FROM item WHERE position > ? ORDER BY position LIMIT ?",
            [position, limit + 1])
        return FeedSlice(items: rows.prefix(limit).reversed(), hasMore: rows.count > limit)
    }

    private static func images(_ db: Database, _ sql: String, _ arguments: StatementArguments) throws -> [FeedImage] {
        let statement = try db.cachedStatement(sql: sql)
        return try Array(Row.fetchCursor(statement, arguments: arguments).map(FeedImage.init(row:)))
    }

    private static func items(_ ids: [UUID], _ db: Database) throws -> [UUID: FeedImage] {
        let found = try images(
            db, "SELECT \(FeedImage.columns) FROM item WHERE id IN (\(marks(ids.count)))", StatementArguments(ids))
        return Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

    private static func item(_ id: UUID, _ db: Database) throws -> FeedImage? {
        try images(db, "SELECT \(FeedImage.columns) FROM item WHERE id = ?", [id]).first
    }

    /// The position of an item, or its last position if it was removed.
    private static func position(of id: UUID, _ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(
            sql: """
                SELECT position FROM item WHERE id = ?1 UNION ALL SELECT position FROM tombstone WHERE id = ?1
                """)
        guard let position = try Int64.fetchOne(statement, arguments: [id]) else {
            throw FeedStoreError.unknownCursor(id)
        }
        return position
    }

    // MARK: Writing

    func publish(_ items: [FeedImage], now: Date) async throws -> [FeedImage] { try await publish(items, undated: now) }

    /// - Parameter date: of the new items that have none; nil for no date.
    private func publish(_ items: [FeedImage], undated date: Date?) async throws -> [FeedImage] {
        try await store.write { db in
            var new: [FeedImage] = []
            var known = try Self.items(items.map(\.id), db)
            // Positions grow towards the top, so the last item is inserted first.
            for item in items.reversed() {
                if let present = known[item.id] {
                    guard present.hasContent(of: item) else { throw FeedStoreError.conflict(item.id) }
                    let hints = present.hints.completed(by: item.hints)
                    if hints != present.hints { try Self.write(hints, of: item.id, db) }
                    let completed = present.with(present.details.completed(by: item.details))
                    if completed.details != present.details { try Self.writeDetails(of: completed, db) }
                    continue
                }
                let dated = (item.publishedAt ?? date).map(item.published) ?? item
                try db.cachedStatement(
                    sql: """
                        INSERT INTO item (id, description, location, image, tags, published_at, details)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """
                ).execute(arguments: [
                    dated.id, dated.description, dated.location, dated.image, dated.tagsText,
                    dated.publishedSeconds, dated.detailsText,
                ])
                if !item.hints.isEmpty { try Self.write(item.hints, of: item.id, db) }
                known[item.id] = dated
                new.append(dated)
            }
            guard !new.isEmpty else { return [] }
            new.reverse()
            try db.cachedStatement(sql: "DELETE FROM tombstone WHERE id IN (\(Self.marks(new.count)))")
                .execute(arguments: StatementArguments(new.map(\.id)))
            try Self.count(new.count, db)
            try ChangeTable.append(FeedChange.published(new).stored, db)
            return new
        }
    }

    private static func write(_ hints: PictureHints, of id: UUID, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE item SET width = ?, height = ?, placeholder = ? WHERE id = ?")
            .execute(arguments: [hints.width, hints.height, hints.placeholder?.bytes, id])
    }

    private static func writeDetails(of image: FeedImage, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE item SET details = ? WHERE id = ?")
            .execute(arguments: [image.detailsText, image.id])
    }

    func remove(_ ids: [UUID]) async throws -> [UUID] {
        try await store.write { db in
            var removed: [(id: UUID, position: Int64)] = []
            for id in ids {
                let place = try db.cachedStatement(sql: "SELECT position FROM item WHERE id = ?")
                guard let position = try Int64.fetchOne(place, arguments: [id]) else { continue }
                try db.cachedStatement(sql: "INSERT INTO tombstone (id, position) VALUES (?, ?)")
                    .execute(arguments: [id, position])
                try db.cachedStatement(sql: "DELETE FROM item WHERE id = ?").execute(arguments: [id])
                removed.append((id, position))
            }
            guard !removed.isEmpty else { return [] }
            try Self.count(-removed.count, db)
            let ids = removed.sorted { $0.position > $1.position }.map(\.id)
            try ChangeTable.append(FeedChange.removed(ids).stored, db)
            return ids
        }
    }

    private static func count(_ change: Int, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE total SET items = items + ?").execute(arguments: [change])
    }
}

// MARK: - Copying

extension SQLiteFeedStore: CopiedStore {
    func entries(after place: Int64, limit: Int) async throws -> [(place: Int64, entry: FeedImage)] {
        try await store.read { db in
            let sql = "SELECT \(FeedImage.columns), position FROM item WHERE position > ? ORDER BY position LIMIT ?"
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: [place, limit])
            return try Array(rows.map { (place: try $0.decode(forColumn: "position"), entry: try FeedImage(row: $0)) })
        }
    }

    func add(_ entries: [FeedImage]) async throws { _ = try await publish(entries.reversed(), undated: nil) }
}

// MARK: - Changes

extension SQLiteFeedStore: ChangeLog {
    func lastChange() async throws -> ChangeMark { try await store.lastChange() }

    func news(after mark: ChangeMark?) async throws -> ChangeNews<FeedChange>? {
        try await store.news(after: mark, decode: FeedChange.init(stored:))
    }
}
