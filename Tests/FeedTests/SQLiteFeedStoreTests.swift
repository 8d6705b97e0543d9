import EdgeModel
import Feed
import Foundation
import GRDB
import RPC
import RPCTestKit
import SQLiteKit
import ServiceKit
import Testing

@testable import feed_service

/// Tests of the SQLite store only.
@Suite struct SQLiteFeedStoreTests {
    @Test func `the integrity check detects a damaged file`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed.sqlite"
            let pool = try SQLiteFeedStore.opening.open(path)
            _ = try await SQLiteFeedStore(pool).publish(
                (1...100).map { picture($0, String(repeating: "x", count: 500)) })
            let root = try await pool.read { db in
                try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'item'")
            }
            try pool.closeIntoOneFile()

            var bytes = try Data(contentsOf: URL(filePath: path))
            let page = (try #require(root) - 1) * 4_096
            bytes.replaceSubrange(page + 8..<page + 16, with: Data(repeating: 0xFF, count: 8))
            try bytes.write(to: URL(filePath: path))

            let store = SQLiteFeedStore(try SQLiteFeedStore.opening.open(path))
            await #expect(throws: StoreError.damaged) { try await store.checkIntegrity() }
        }
    }

    @Test func `the integrity check detects a wrong number of items`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedStore.opening.open(directory + "/feed.sqlite")
            let store = SQLiteFeedStore(pool)
            _ = try await store.publish([picture(1)])
            try await store.checkIntegrity()
            try await pool.write { try $0.execute(sql: "UPDATE total SET items = 2") }
            await #expect(throws: StoreError.damaged) { try await store.checkIntegrity() }
        }
    }

    @Test func `a store without hints gets them when its items are published again`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed.sqlite"
            try Self.writeEarlierVersion(path)
            let store = SQLiteFeedStore(try SQLiteFeedStore.opening.open(path))
            #expect(try await store.slice(10, at: .start).items == [picture(1)])
            #expect(try await store.publish([picture(1).with(.full)]) == [])
            #expect(try await store.item(picture(1).id) == picture(1).with(.full))
        }
    }

    @Test func `the items of a store without dates have none, and get none`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed.sqlite"
            try Self.writeEarlierVersion(path, hasHints: true)
            for _ in 1...2 {
                let pool = try SQLiteFeedStore.opening.open(path)
                let store = SQLiteFeedStore(pool)
                #expect(try await store.slice(10, at: .start).items.last == picture(1).with(.full))
                #expect(try await store.publish([picture(1)]) == [])
                #expect(try await store.item(picture(1).id) == picture(1).with(.full))
                // Items that are published now have one.
                _ = try await store.publish([picture(2)])
                #expect(try await store.item(picture(2).id) == picture(2).published)
                try pool.closeIntoOneFile()
            }
        }
    }

    @Test func `the items of a store without tags have none, and new items get theirs`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed.sqlite"
            try Self.writeEarlierVersion(path, hasHints: true)
            for _ in 1...2 {
                let pool = try SQLiteFeedStore.opening.open(path)
                let store = SQLiteFeedStore(pool)
                #expect(try await store.item(picture(1).id) == picture(1).with(.full))
                _ = try await store.publish([picture(2, tags: ["sea"]), picture(1)])
                #expect(try await store.item(picture(2).id) == picture(2, tags: ["sea"]).published)
                await #expect(throws: FeedStoreError.conflict(picture(1).id)) {
                    try await store.publish([picture(1, tags: ["sea"])])
                }
                try pool.closeIntoOneFile()
            }
        }
    }

    @Test(arguments: 1...7)
    func `a store of any version keeps its items and cursors, and begins or continues its log`(
        version: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let opening = SQLiteFeedStore.opening
            let old = StoreOpening(applicationID: opening.applicationID, migrator: DatabaseMigrator())
            let first = try old.open(directory + "/feed.sqlite")
            try opening.migrator.migrate(first, upTo: opening.migrator.migrations[version - 1])
            try await first.write { db in
                for number in [1, 3] {
                    try db.execute(
                        sql: "INSERT INTO item (position, id, location, image) VALUES (?, ?, ?, ?)",
                        arguments: [number, UUID(number: number), picture(number).location, picture(number).image])
                }
                try db.execute(sql: "INSERT INTO tombstone VALUES (?, 2)", arguments: [UUID(number: 2)])
                for values in FeedImage.storedValues(until: version) {
                    try db.execute(sql: "UPDATE item SET \(values)")
                }
                if version >= 7 { try db.execute(sql: "UPDATE total SET items = 2") }
            }
            let logged = version < 6 ? nil : try await SQLiteFeedStore(first).lastChange()
            try first.close()

            let pool = try opening.open(directory + "/feed.sqlite")
            let store = SQLiteFeedStore(pool)
            #expect(try await store.item(UUID(number: 1)) == picture(1).stored(until: version))
            #expect(try await store.slice(10, at: .start).numbers == [3, 1])
            #expect(try await store.slice(10, at: .after(2)).numbers == [1])
            #expect(try await store.count() == 2)
            let mark = try await store.lastChange()
            #expect(logged == nil || logged == mark)
            _ = try await store.publish([picture(4)])
            #expect(try await store.news(after: mark)?.content == .change(.published([picture(4).published])))
            #expect(try await store.count() == 3)
            try await store.checkIntegrity()
            try pool.close()
        }
    }

    @Test func `counting does not read the items`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedStore.opening.open(directory + "/feed.sqlite")
            let store = SQLiteFeedStore(pool)
            _ = try await store.publish([picture(1), picture(2)])
            try await pool.write { try $0.execute(sql: "DROP TABLE item") }
            #expect(try await store.count() == 2)
        }
    }

    @Test(arguments: ["7", "{}", "[", ""]) func `the schema allows only a list as tags`(text: String) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedStore.opening.open(directory + "/feed.sqlite")
            _ = try await SQLiteFeedStore(pool).publish([picture(1)])
            await #expect(throws: DatabaseError.self) {
                try await pool.write { try $0.execute(sql: "UPDATE item SET tags = ?", arguments: [text]) }
            }
        }
    }

    @Test func `tags that are not texts are reported as damage`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedStore.opening.open(directory + "/feed.sqlite")
            _ = try await SQLiteFeedStore(pool).publish([picture(1)])
            try await pool.write { try $0.execute(sql: "UPDATE item SET tags = '[7]'") }
            await #expect(throws: StoreError.damaged) { try await SQLiteFeedStore(pool).item(picture(1).id) }
        }
    }

    /// Writes a store of version 1, or of version 2, which has hints, with `picture(1)`.
    private static func writeEarlierVersion(_ path: String, hasHints: Bool = false) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 items and tombstones") { db in
            try db.execute(
                sql: """
                    CREATE TABLE item (
                        position    INTEGER PRIMARY KEY AUTOINCREMENT,
                        id          BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
                        description TEXT CHECK (length(description) BETWEEN 1 AND 10000),
                        location    TEXT CHECK (length(location) BETWEEN 1 AND 1000),
                        image       TEXT NOT NULL CHECK (length(CAST(image AS BLOB)) BETWEEN 1 AND 2048)
                    ) STRICT;
                    CREATE TABLE tombstone (
                        id       BLOB PRIMARY KEY NOT NULL CHECK (length(id) = 16),
                        position INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    """)
            let item = picture(1)
            try db.execute(
                sql: "INSERT INTO item (id, location, image) VALUES (?, ?, ?)",
                arguments: [item.id, item.location, item.image])
        }
        if hasHints {
            migrator.registerMigration("2 hints") { db in
                try db.execute(
                    sql: """
                        ALTER TABLE item ADD COLUMN width INTEGER;
                        ALTER TABLE item ADD COLUMN height INTEGER;
                        ALTER TABLE item ADD COLUMN placeholder BLOB CHECK (length(placeholder) <= 40);
                        """)
                let hints = PictureHints.full
                try db.execute(
                    sql: "UPDATE item SET width = ?, height = ?, placeholder = ?",
                    arguments: [hints.width, hints.height, hints.placeholder?.bytes])
            }
        }
        try StoreOpening(applicationID: SQLiteFeedStore.opening.applicationID, migrator: migrator).open(path).close()
    }

    @Test(arguments: [("description", 10_000), ("location", 1_000), ("image", 2_048)])
    func `the schema allows the contract's limits`(column: String, limit: Int) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedStore.opening.open(directory + "/feed.sqlite")
            func insert(_ length: Int, as id: Int) throws {
                try pool.write { db in
                    try db.execute(
                        sql: "INSERT INTO item (id, image) VALUES (?, 'urn:x')", arguments: [UUID(number: id)])
                    try db.execute(
                        sql: "UPDATE item SET \(column) = ? WHERE id = ?",
                        arguments: [String(repeating: "x", count: length), UUID(number: id)])
                }
            }
            try insert(limit, as: 1)
            #expect(throws: DatabaseError.self) { try insert(limit + 1, as: 2) }
            #expect(throws: DatabaseError.self) { try insert(0, as: 3) }
        }
    }
}
