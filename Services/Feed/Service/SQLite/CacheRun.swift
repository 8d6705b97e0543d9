import Foundation
import GRDB

/// A contiguous part of the upstream's feed: a stretch of the axis.
struct CacheRun {
    let id: Int64
    var low: Int64
    var high: Int64
    var savedAt: Date
    var isComplete: Bool

    /// From where a reader begins who has no cursor; nil when that is not in this run.
    var start: Int64?

    var range: ClosedRange<Int64> { low...high }
    var span: Int64 { high - low }

    private static let columns = "id, low, high, saved_at, complete, start"

    private init(row: Row) {
        (id, low, high) = (row[0], row[1], row[2])
        savedAt = Date(timeIntervalSince1970: row[3])
        (isComplete, start) = (row[4], row[5])
    }

    private static func first(_ db: Database, _ rest: String, _ arguments: StatementArguments = []) throws -> CacheRun?
    {
        let statement = try db.cachedStatement(sql: "SELECT \(columns) FROM run \(rest) LIMIT 1")
        return try Row.fetchOne(statement, arguments: arguments).map(CacheRun.init(row:))
    }

    /// Where the feed begins.
    static func head(_ db: Database) throws -> CacheRun? { try first(db, "WHERE start IS NOT NULL") }

    /// The run that a reader at a position is in: of two that meet there, the one that goes on in his direction.
    static func at(_ place: CachePlace, _ heading: Heading, _ db: Database) throws -> CacheRun? {
        let run = try first(
            db, "WHERE low <= ?1 AND high >= ?1 ORDER BY \(heading == .down ? "low" : "high DESC")", [place.position])
        // Nobody knows what lies across an item that was never seen.
        if place.isEdge, let run, heading.opposite.end(of: run) != place.position { return nil }
        return run
    }

    /// The next run on the axis.
    func neighbour(_ heading: Heading, besides other: Int64? = nil, _ db: Database) throws -> CacheRun? {
        switch heading {
        case .down:
            try Self.first(
                db, "WHERE high <= ? AND id NOT IN (?, ?) ORDER BY high DESC, low DESC", [low, id, other ?? id])
        case .up:
            try Self.first(db, "WHERE low >= ? AND id NOT IN (?, ?) ORDER BY low, high", [high, id, other ?? id])
        }
    }

    static func all(_ db: Database) throws -> [CacheRun] {
        try Row.fetchAll(db, sql: "SELECT \(columns) FROM run").map(CacheRun.init(row:))
    }

    /// A run that holds nothing yet.
    static func insert(
        _ range: ClosedRange<Int64>, savedAt: Date, isComplete: Bool = false, start: Int64? = nil, _ db: Database
    ) throws -> CacheRun {
        try db.cachedStatement(sql: "INSERT INTO run (low, high, saved_at, complete, start) VALUES (?, ?, ?, ?, ?)")
            .execute(arguments: [
                range.lowerBound, range.upperBound, savedAt.timeIntervalSince1970, isComplete, start,
            ])
        return CacheRun(
            id: db.lastInsertedRowID, low: range.lowerBound, high: range.upperBound, savedAt: savedAt,
            isComplete: isComplete, start: start)
    }

    func update(_ db: Database) throws {
        try db.cachedStatement(
            sql: "UPDATE run SET low = ?, high = ?, saved_at = ?, complete = ?, start = ? WHERE id = ?"
        ).execute(arguments: [low, high, savedAt.timeIntervalSince1970, isComplete, start, id])
    }

    func delete(_ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM run WHERE id = ?").execute(arguments: [id])
    }
}

extension CacheRun {
    private init(
        id: Int64, low: Int64, high: Int64, savedAt: Date, isComplete: Bool, start: Int64?
    ) {
        (self.id, self.low, self.high, self.savedAt, self.isComplete, self.start) = (
            id, low, high, savedAt, isComplete, start
        )
    }
}
