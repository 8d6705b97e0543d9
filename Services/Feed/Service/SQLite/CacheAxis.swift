import Feed
import Foundation
import GRDB

/// The axis on which all runs lie: reads and writes ranges of it, and moves them.
struct CacheAxis {
    let db: Database

    /// Between two items of a run, so that others fit in between.
    static let spacing: Int64 = 256

    /// Between two runs: there is room for 2²⁸ items before they touch, and on the axis for 2²⁷ runs.
    static let region: Int64 = 1 << 36

    /// The first so many items of a range.
    func items(_ range: ClosedRange<Int64>, _ heading: Heading, limit: Int) throws -> [FeedImage] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id, description, location, image FROM item WHERE position BETWEEN ? AND ?
                ORDER BY position \(heading == .down ? "DESC" : "ASC") LIMIT ?
                """)
        return try Array(
            Row.fetchCursor(statement, arguments: [range.lowerBound, range.upperBound, limit])
                .map(FeedImage.init(row:)))
    }

    func item(_ id: UUID) throws -> FeedImage? {
        let statement = try db.cachedStatement(sql: "SELECT id, description, location, image FROM item WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id]).map(FeedImage.init(row:))
    }

    /// Whether a range has more than so many items: looks at no more of them than that.
    func hasMore(than count: Int, in range: ClosedRange<Int64>) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM item WHERE position BETWEEN ? AND ? ORDER BY position LIMIT 1 OFFSET ?")
        return try Int.fetchOne(statement, arguments: [range.lowerBound, range.upperBound, count]) != nil
    }

    /// The first position of a range where something stands: an item, or a place too.
    func first(_ range: ClosedRange<Int64>, _ heading: Heading, itemsOnly: Bool = false) throws -> Int64? {
        let (pick, tables) = (heading == .down ? "max" : "min", itemsOnly ? ["item"] : ["item", "place"])
        return try tables.compactMap { table in
            let statement = try db.cachedStatement(
                sql: "SELECT \(pick)(position) FROM \(table) WHERE position BETWEEN ? AND ?")
            return try Int64.fetchOne(statement, arguments: [range.lowerBound, range.upperBound])
        }.min { heading.depth($0) < heading.depth($1) }
    }

    /// The id must not stand elsewhere.
    func write(_ item: FeedImage, at position: Int64) throws {
        try db.cachedStatement(
            sql: "INSERT INTO item (position, id, description, location, image) VALUES (?, ?, ?, ?, ?)"
        ).execute(arguments: [position, item.id, item.description, item.location, item.image])
    }

    /// Takes an id off the axis.
    func remove(_ id: UUID) throws {
        try db.cachedStatement(sql: "DELETE FROM item WHERE id = ?").execute(arguments: [id])
        try db.cachedStatement(sql: "DELETE FROM place WHERE id = ?").execute(arguments: [id])
    }

    func mark(_ id: UUID, at position: Int64) throws {
        try db.cachedStatement(sql: "INSERT INTO place (position, id, edge) VALUES (?, ?, 1)")
            .execute(arguments: [position, id])
    }

    /// The upstream has nothing in a range any more. What stood there still marks its place.
    func clear(_ range: ClosedRange<Int64>) throws {
        let bounds: StatementArguments = [range.lowerBound, range.upperBound]
        try db.cachedStatement(
            sql:
                "INSERT INTO place (position, id, edge) SELECT position, id, 0 FROM item WHERE position BETWEEN ? AND ?"
        ).execute(arguments: bounds)
        try db.cachedStatement(sql: "DELETE FROM item WHERE position BETWEEN ? AND ?").execute(arguments: bounds)
        try db.cachedStatement(sql: "UPDATE place SET edge = 0 WHERE edge = 1 AND position BETWEEN ? AND ?")
            .execute(arguments: bounds)
    }

    /// Forgets all that a run has held.
    func drop(_ run: CacheRun) throws {
        for table in ["item", "place"] {
            try db.cachedStatement(sql: "DELETE FROM \(table) WHERE position BETWEEN ? AND ?")
                .execute(arguments: [run.low, run.high])
        }
        try run.delete(db)
    }
}
