import Foundation
import JSON
import RPC
import ServiceKit

/// The table in which a store remembers its changes; see `StoredChange`. Its head row numbers them: a write locks it first, so that numbers
/// follow the order of the commits, whichever service writes.
public enum PostgresChanges {
    /// The first migration of every store.
    static let schema = """
        CREATE TABLE change (
            number  bigint PRIMARY KEY,
            tag     bytea NOT NULL CHECK (octet_length(tag) = 8),
            content bytea NOT NULL,
            -- The bytes of this change and of all before it.
            total   bigint NOT NULL
        );

        -- Before the first change.
        INSERT INTO change VALUES (0, substring(uuid_send(gen_random_uuid()) FROM 9), '', 0);

        -- One row: the last change.
        CREATE TABLE head (
            number bigint NOT NULL,
            total  bigint NOT NULL,
            single boolean PRIMARY KEY DEFAULT true CHECK (single)
        );
        INSERT INTO head VALUES (0, 0);
        """

    // MARK: Writing

    /// Waits for the other writers of the database. They wait until the transaction ends.
    static func lock(_ db: PostgresConnection) throws { try db.execute("SELECT FROM head FOR UPDATE") }

    /// Writes to the database, without an effect.
    static func touch(_ db: PostgresConnection) throws { try db.execute("UPDATE head SET number = number") }

    /// Adds a change, in the transaction of its write. The services that listen are told when it is committed.
    public static func append(_ change: RawJSON, _ db: PostgresConnection) throws {
        let tag = Data((0..<StoredChange.tagBytes).map { _ in UInt8.random(in: .min ... .max) })
        // The name of a schema is that of its channel.
        let added = try db.execute(
            """
            WITH next AS (UPDATE head SET number = number + 1, total = total + octet_length($2) RETURNING number, total)
            INSERT INTO change SELECT number, $1, $2, total FROM next RETURNING number, pg_notify(current_schema(), '')
            """, .value(tag), .value(Data(change.bytes)))
        // Most changes are small: every 64th looks for what is too much.
        let number: Int64? = try added.first?.decode(0)
        guard (number ?? 0) % StoredChange.trimmingPeriod == 0 || change.bytes.count > StoredChange.largeChange else {
            return
        }
        // The totals grow with the numbers: the first change that fits ends the search.
        try db.execute(
            """
            DELETE FROM change USING head WHERE change.number < GREATEST(
                head.number - $1 + 1,
                coalesce((SELECT change.number FROM change WHERE change.total - octet_length(content) >= head.total - $2
                          ORDER BY change.number LIMIT 1), head.number))
            """, .value(Int64(StoredChange.maximumCount)), .value(Int64(StoredChange.maximumBytes)))
    }

    // MARK: Reading

    /// The mark of the last change.
    static func last(_ db: PostgresConnection) throws -> ChangeMark {
        let rows = try db.execute(
            "SELECT change.number, tag, ''::bytea FROM change JOIN head ON change.number = head.number")
        guard let change = try rows.first.map(StoredChange.init) else { throw PostgresError.undecodable }
        return change.mark
    }

    /// The event after a mark; see `ChangeLog`.
    /// - Parameter report: receives one line about a change that cannot be sent.
    static func news<Change>(
        after mark: ChangeMark?, _ db: PostgresConnection, report: (String) -> Void,
        read: (RawJSON) throws(JSONError) -> Change
    ) throws -> ChangeNews<Change>? {
        let number = mark?.number ?? -1
        // Both at one moment: another service may trim the table.
        let changes = try db.execute(
            "SELECT number, tag, CASE WHEN number = $2 THEN content ELSE '' END FROM change WHERE number IN ($1, $2)",
            .value(Int64(number)), .value(Int64(number &+ 1))
        ).map(StoredChange.init)
        return try StoredChange.news(
            after: mark, find: { number in changes.first { $0.mark.number == number } }, last: { try last(db) },
            report: report, read: read)
    }
}

extension StoredChange {
    /// - Parameter row: the number, the tag and the content.
    fileprivate init(_ row: PostgresRow) throws {
        self.init(number: Int(try row.decode(0, as: Int64.self)), tag: try row.decode(1), content: try row.decode(2))
    }
}
