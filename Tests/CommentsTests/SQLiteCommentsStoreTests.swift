import Comments
import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import Testing

@testable import comments_service

/// Tests of the SQLite store only.
@Suite struct SQLiteCommentsStoreTests {
    @Test func `counting does not read the comments`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite")
            let store = SQLiteCommentsStore(pool)
            try await store.post([draft(1), draft(2), draft(3, on: 9)])
            try await pool.write { try $0.execute(sql: "DROP TABLE comment") }
            #expect(
                try await store.counts(of: [0, 5, 9].map(UUID.init(number:)))
                    == [UUID(number: 0): 2, UUID(number: 9): 1])
        }
    }

    @Test func `every page is a range of an index`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite")
            let plan = try pool.read { db in
                try Row.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN " + SQLiteCommentsStore.sliceQuery,
                    arguments: [UUID(number: 1), 7, 7, 10])
            }
            for range in ["created_at=? AND rowid>?", "created_at>?"] {
                #expect("\(plan)".contains("INDEX comment_by_image (image_id=? AND \(range))"))
            }
            #expect(!"\(plan)".contains("TEMP B-TREE"))
        }
    }

    @Test func `a migration sorts a store of version 1 by time`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/comments.sqlite"
            try Self.writeFirstVersion(path)
            let store = SQLiteCommentsStore(try SQLiteCommentsStore.opening.open(path))
            let image = UUID(number: 0)
            // 1 and 6 were removed, and 3 is an import older than 2.
            #expect(try await store.slice(10, of: image, after: nil).numbers == [3, 2, 4, 5])
            // Readers at a removed comment continue after the comments they have seen.
            #expect(try await store.slice(10, of: image, after: UUID(number: 1)).numbers == [3, 2, 4, 5])
            #expect(try await store.slice(10, of: image, after: UUID(number: 6)).numbers == [5])
            #expect(try await store.slice(10, of: UUID(number: 9), after: UUID(number: 8)).numbers == [])
            #expect(try await store.counts(of: [image]) == [image: 4])
            // A new comment follows all others.
            try await store.post([draft(7, at: moment(30))])
            #expect(try await store.slice(10, of: image, after: UUID(number: 4)).numbers == [5, 7])
        }
    }

    @Test(arguments: 1...5)
    func `a store of any version keeps its comments and cursors, and begins or continues its log`(
        version: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let opening = SQLiteCommentsStore.opening
            let old = StoreOpening(applicationID: opening.applicationID, migrator: DatabaseMigrator())
            let first = try old.open(directory + "/comments.sqlite")
            try opening.migrator.migrate(first, upTo: opening.migrator.migrations[version - 1])
            let (image, time) = (UUID(number: 0), Int(moment(0).timeIntervalSince1970))
            try await first.write { db in
                for number in [1, 3] {
                    try db.execute(
                        sql: "INSERT INTO comment VALUES (?, ?, ?, ?, 'ana', 'Lovely!')",
                        arguments: [number, UUID(number: number), image, time + number])
                }
                let (column, value) = version < 2 ? ("", "") : (", created_at", ", \(time + 2)")
                try db.execute(
                    sql: "INSERT INTO tombstone (image_id, id, position\(column)) VALUES (?, ?, 2\(value))",
                    arguments: [image, UUID(number: 2)])
            }
            let logged = version < 4 ? nil : try await SQLiteCommentsStore(first).lastChange()
            try first.close()

            let pool = try opening.open(directory + "/comments.sqlite")
            let store = SQLiteCommentsStore(pool)
            #expect(
                try await store.slice(10, of: image, after: nil).items
                    == [1, 3].map { draft($0, at: moment(Double($0))).comment(now: moment(0)) })
            #expect(try await store.slice(10, of: image, after: UUID(number: 2)).numbers == [3])
            #expect(try await store.counts(of: [image]) == [image: 2])
            let mark = try await store.lastChange()
            #expect(logged == nil || logged == mark)
            let posted = try await store.post(draft(4), now: moment(9)).comment
            #expect(try await store.news(after: mark)?.content == .change(.posted([posted])))
            #expect(try await store.counts(of: [image]) == [image: 3])
            try pool.close()
        }
    }

    /// Writes a store of version 1.
    private static func writeFirstVersion(_ path: String) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 comments and tombstones") { db in
            try db.execute(
                sql: """
                    CREATE TABLE comment (
                        position   INTEGER PRIMARY KEY AUTOINCREMENT,
                        id         BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                        image_id   BLOB NOT NULL CHECK (length(image_id) = 16),
                        created_at INTEGER NOT NULL,
                        username   TEXT NOT NULL CHECK (length(CAST(username AS BLOB)) BETWEEN 1 AND 4 * 64),
                        message    TEXT NOT NULL CHECK (length(CAST(message AS BLOB)) BETWEEN 1 AND 4 * 2000)
                    ) STRICT;
                    CREATE INDEX comment_by_image ON comment (image_id);
                    CREATE TABLE tombstone (
                        image_id BLOB NOT NULL CHECK (length(image_id) = 16),
                        id       BLOB NOT NULL CHECK (length(id) = 16),
                        position INTEGER NOT NULL,
                        PRIMARY KEY (image_id, id)
                    ) STRICT, WITHOUT ROWID;
                    """)
            // Position, number and time of each comment.
            for (position, number, time) in [(2, 2, 10), (3, 3, 5), (4, 4, 20), (6, 5, 30)] {
                try db.execute(
                    sql: "INSERT INTO comment VALUES (?, ?, ?, ?, 'ana', 'x')",
                    arguments: [
                        position, UUID(number: number), UUID(number: 0),
                        Int(moment(Double(time)).timeIntervalSince1970),
                    ])
            }
            for (image, number, position) in [(0, 1, 1), (0, 6, 5), (9, 8, 7)] {
                try db.execute(
                    sql: "INSERT INTO tombstone VALUES (?, ?, ?)",
                    arguments: [UUID(number: image), UUID(number: number), position])
            }
        }
        let opening = StoreOpening(applicationID: SQLiteCommentsStore.opening.applicationID, migrator: migrator)
        try opening.open(path).close()
    }

    /// Text takes at most four bytes per scalar.
    @Test(arguments: [("username", 64), ("message", 2_000)])
    func `the schema allows the contract's limits`(column: String, limit: Int) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite")
            try await SQLiteCommentsStore(pool).post([draft(1)])
            func set(_ length: Int) throws {
                try pool.write { db in
                    try db.execute(
                        sql: "UPDATE comment SET \(column) = ?", arguments: [String(repeating: "🏖", count: length)])
                }
            }
            try set(limit)
            #expect(throws: DatabaseError.self) { try set(limit + 1) }
            #expect(throws: DatabaseError.self) { try set(0) }
        }
    }
}
