import Foundation
import GRDB
import JSON
import RPC
import ServiceKit

/// The table in which a store remembers its changes. A write and its change are one transaction, so watchers continue where they
/// were after any restart.
///
/// Each change has a random tag, which its mark names. After a store was restored from a copy, new changes get the numbers of lost ones,
/// but not their tags: watchers that have seen the lost ones get a reset.
public enum ChangeTable {
    /// The number of changes in the table, and at most `trimmingPeriod` more; the oldest leave first.
    public static let maximumCount = 100_000

    /// The size of the changes in the table, in bytes, and at most `trimmingPeriod` × `largeChange` more. The latest change always
    /// remains.
    public static let maximumBytes = 64 << 20

    /// The table is trimmed after so many changes, or after one with more than `largeChange` bytes.
    public static let trimmingPeriod: Int64 = 64
    public static let largeChange = 64 << 10

    /// The maximum size of a change that is sent, in bytes: an event is one message.
    public static let maximumChange = Limits().frameBytes - 1_024

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
        guard db.lastInsertedRowID % trimmingPeriod == 0 || change.bytes.count > largeChange else { return }
        let trimming = try db.cachedStatement(
            sql: """
                WITH last AS (SELECT number, total FROM change ORDER BY number DESC LIMIT 1)
                DELETE FROM change WHERE number = (SELECT min(number) FROM change)
                    AND number < (SELECT number FROM last)
                    AND (number <= (SELECT number FROM last) - ?1
                        OR total - length(content) < (SELECT total FROM last) - ?2)
                """)
        repeat {
            try trimming.execute(arguments: [maximumCount, maximumBytes])
        } while db.changesCount > 0
    }

    // MARK: Reading

    /// The mark of the last change.
    static func last(_ db: Database) throws -> ChangeMark {
        let statement = try db.cachedStatement(sql: "SELECT number, tag FROM change ORDER BY number DESC LIMIT 1")
        guard let row = try Row.fetchOne(statement) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the changes are missing")
        }
        return try mark(row)
    }

    /// The event after a mark; see `ChangeLog`. A change that cannot be decoded or sent gets a reset, as one that is missing.
    /// - Parameter report: receives one line about such a change.
    static func news<Change>(
        after mark: ChangeMark?, _ db: Database, report: (String) -> Void,
        read: (RawJSON) throws(JSONError) -> Change
    ) throws -> ChangeNews<Change>? {
        guard let mark, try isKnown(mark, db) else { return ChangeNews(.reset, mark: try last(db)) }
        let statement = try db.cachedStatement(sql: "SELECT number, tag, content FROM change WHERE number = ?")
        guard let row = try Row.fetchOne(statement, arguments: [mark.number + 1]) else { return nil }
        let content: Data = try row.decode(atIndex: 2)
        let change: Change
        do throws(JSONError) {
            guard content.count <= maximumChange else { throw .refused("it is too large for a message") }
            change = try read(RawJSON(checking: content))
        } catch {
            report("change \(mark.number + 1) cannot be sent (\(error)): its watchers get a reset")
            return ChangeNews(.reset, mark: try last(db))
        }
        return ChangeNews(.change(change), mark: try self.mark(row))
    }

    private static func isKnown(_ mark: ChangeMark, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT number, tag FROM change WHERE number = ?")
        return try Row.fetchOne(statement, arguments: [mark.number]).map { try self.mark($0) } == mark
    }

    private static func mark(_ row: Row) throws -> ChangeMark {
        let tag: Data = try row.decode(atIndex: 1)
        return ChangeMark(
            life: tag.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
            number: try row.decode(atIndex: 0))
    }
}
