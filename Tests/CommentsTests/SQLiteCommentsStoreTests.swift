import Comments
import Foundation
import GRDB
import RPCTestKit
import Testing

@testable import comments_service

/// What only the SQLite store has.
@Suite struct SQLiteCommentsStoreTests {
    @Test func `counting looks at no comment`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite")
            let plan = try pool.read { db in
                try Row.fetchAll(
                    db, sql: "EXPLAIN QUERY PLAN " + SQLiteCommentsStore.countingQuery(2),
                    arguments: [UUID(number: 1), UUID(number: 2)])
            }
            #expect("\(plan)".contains("COVERING INDEX comment_by_image"))
            #expect(!"\(plan)".contains("TEMP B-TREE"))
        }
    }

    /// Four bytes a scalar is the most that text can take.
    @Test(arguments: [("username", 64), ("message", 2_000)])
    func `the schema has room for the contract's limits`(column: String, limit: Int) async throws {
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
