import Feed
import Foundation
import GRDB
import RPCTestKit
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
            try pool.close()

            var bytes = try Data(contentsOf: URL(filePath: path))
            let last = bytes.count - 4_096
            bytes.replaceSubrange(last..<last + 8, with: Data(repeating: 0xFF, count: 8))
            try bytes.write(to: URL(filePath: path))

            let store = SQLiteFeedStore(try SQLiteFeedStore.opening.open(path))
            await #expect(throws: FeedStoreError.self) { try await store.checkIntegrity() }
        }
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
