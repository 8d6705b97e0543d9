import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import Search
import Testing

@testable import search_service

/// What the file of the index has at which time: its journal, its indexes, and that of an earlier version.
@Suite struct IndexFileTests {
    @Test("comments are removed by their ids during the first walk, and after it", arguments: [false, true])
    func removedComments(isDuring: Bool) async throws {
        try await TestedIndex.with { tested in
            try await tested.apply(.feedReset)
            #expect(try await !tested.hasLaterIndexes())
            let comment = SearchableComment(id: UUID(9), author: "ana", message: "sun")
            try await tested.walk([(SearchableImage(1, "sea"), [comment])], isLast: !isDuring)
            #expect(try await tested.hasLaterIndexes() == !isDuring)
            try await tested.apply(.removedComments([UUID(9)]))
            #expect(try await tested.hasLaterIndexes())
            #expect(try await tested.find("sun ") == [])
            #expect(try await tested.find("sea ") == [UUID(1)])
            // A later walk, which finds known images, does not omit it.
            try await tested.apply(.feedReset)
            #expect(try await tested.hasLaterIndexes())
        }
    }

    @Test("the journal is empty when all segments are merged, unless a reader needs it", arguments: [false, true])
    func journal(isNeeded: Bool) async throws {
        try await TestedIndex.with { tested in
            let pool = tested.index.pool
            func merge() async throws {
                var isFirst = true
                while try await tested.index.merge(isFirst: isFirst) { isFirst = false }
            }
            func journalSize() throws -> Int {
                try FileManager.default.attributesOfItem(atPath: pool.path + "-wal")[.size] as? Int ?? 0
            }
            for number in 1...30 { try await tested.publish(SearchableImage(number, "sea \(number)")) }
            #expect(try journalSize() > 0)
            guard isNeeded else {
                try await merge()
                return #expect(try journalSize() == 0)
            }
            // The snapshot remains as it is, although the index changes.
            let snapshot = try pool.makeSnapshot()
            try await tested.publish(SearchableImage(31, "sea"))
            try await merge()
            #expect(try journalSize() > 0)
            #expect(try await snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM image") } == 30)
            #expect(try await tested.find("sea ").count == 31)
        }
    }

    @Test("the index of an earlier version is built again", arguments: 1...8)
    func migrated(version: Int) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/search.sqlite"
            let first = try DatabasePool(path: path)
            try IndexSchema.migrator.migrate(first, upTo: IndexSchema.migrator.migrations[version - 1])
            try await first.write { db in
                try db.execute(sql: "UPDATE progress SET feed_seq = 'a.1', walk = 1, walked = 1, walk_total = 2")
                // Version 7 has dropped the number of the walk that has found an image.
                let generation = version < 7 ? "generation, " : ""
                try db.execute(
                    sql: """
                        INSERT INTO image (number, id, title, place, tags, \(generation)knows_comments)
                        VALUES (7, ?, 'sea', '', '', \(generation.isEmpty ? "" : "0, ")1)
                        """,
                    arguments: [UUID(1)])
                try db.execute(
                    sql: "INSERT INTO word (rowid, title, keys) VALUES (7, 'sea', '\u{E000}')")
                try db.execute(sql: "INSERT INTO vocabulary VALUES ('', 1), ('sea', 1)")
            }
            try IndexSchema.migrator.migrate(first)
            let index = SearchIndex(first)
            #expect(try index.progress() == IndexProgress())
            #expect(try index.count() == 0)
            let words = try await first.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM word WHERE word MATCH 'sea'")
            }
            #expect(words == 0)
            let progress = try await index.apply([IndexEvent(seq: "1", change: .feedReset)], from: IndexProgress())
            #expect(progress.walk == .walking)
        }
    }
}

extension TestedIndex {
    fileprivate func hasLaterIndexes() async throws -> Bool {
        try await index.pool.read { db in
            let indexes = try (db.indexes(on: "comment") + db.indexes(on: "term")).map(\.name)
            return ["comment_by_id", "term_by_images"].allSatisfy(indexes.contains)
        }
    }
}
