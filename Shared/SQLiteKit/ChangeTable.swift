import Foundation
import GRDB
import JSON
import RPC
import ServiceKit

/// The table in which a store remembers its changes; see `StoredChange`.
public enum ChangeTable {
    /// For a migration.
    public static let schema = """
        CREATE TABLE change (
            number  INTEGER PRIMARY KEY,
            tag     BLOB NOT NULL CHECK (length(tag) = 8),
            content BLOB NOT NULL,
            -- The bytes of this change and of all before it.
            total   INTEGER NOT NULL
        ) STRICT;

        -- Before the first change.
        INSERT INTO change VALUES (0, randomblob(8), x'', 0);
        """

    // MARK: Writing

    /// Adds a change, in the transaction of its write.
    public static func append(_ change: RawJSON, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO change (tag, content, total) VALUES (
                    randomblob(8), ?1, length(?1) + (SELECT total FROM change ORDER BY number DESC LIMIT 1))
                """
        ).execute(arguments: [Data(change.bytes)])
        // Most changes are small: every 64th looks for what is too much.
        guard db.lastInsertedRowID % StoredChange.trimmingPeriod == 0 || change.bytes.count > StoredChange.largeChange
        else { return }
        let trimming = try db.cachedStatement(
            sql: """
                WITH last AS (SELECT number, total FROM change ORDER BY number DESC LIMIT 1)
                DELETE FROM change WHERE number = (SELECT min(number) FROM change)
                    AND number < (SELECT number FROM last)
                    AND (number <= (SELECT number FROM last) - ?1
                        OR total - length(content) < (SELECT total FROM last) - ?2)
                """)
        repeat {
            try trimming.execute(arguments: [StoredChange.maximumCount, StoredChange.maximumBytes])
        } while db.changesCount > 0
    }

    // MARK: Reading

    /// The mark of the last change.
    static func last(_ db: Database) throws -> ChangeMark {
        let statement = try db.cachedStatement(
            sql: "SELECT number, tag, x'' FROM change ORDER BY number DESC LIMIT 1")
        guard let row = try Row.fetchOne(statement) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the changes are missing")
        }
        return try StoredChange(row).mark
    }

    /// The event after a mark; see `ChangeLog`. A change that cannot be decoded or sent gets a reset, as one that is missing.
    /// - Parameter report: receives one line about such a change.
    static func news<Change>(
        after mark: ChangeMark?, _ db: Database, report: (String) -> Void,
        read: (RawJSON) throws(JSONError) -> Change
    ) throws -> ChangeNews<Change>? {
        try StoredChange.news(
            after: mark,
            // The watcher knows the content of its own change.
            find: { try change($0, $0 == mark?.number ? "x''" : "content", db) }, last: { try last(db) },
            report: report, read: read)
    }

    private static func change(_ number: Int, _ content: String, _ db: Database) throws -> StoredChange? {
        let statement = try db.cachedStatement(sql: "SELECT number, tag, \(content) FROM change WHERE number = ?")
        return try Row.fetchOne(statement, arguments: [number]).map(StoredChange.init)
    }
}

extension StoredChange {
    /// - Parameter row: the number, the tag and the content.
    fileprivate init(_ row: Row) throws {
        self.init(
            number: try row.decode(atIndex: 0), tag: try row.decode(atIndex: 1), content: try row.decode(atIndex: 2))
    }
}
