import Comments
import EdgeModel
import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import Testing

@testable import comments_service

/// Tests of the SQLite store only.
@Suite struct SQLiteKeptCommentsTests {
    @Test(arguments: [(3, true), (4, false)])
    func `an answer with too many comments is not stored, and the one before remains`(
        count: Int, isKept: Bool
    ) async throws {
        try await withStore(comments: 3) { store, _ in
            _ = try await store.keep(kept([9]))
            #expect(try await store.keep(kept(Array(1...count))) == isKept)
            #expect(try await store.numbers() == (isKept ? [1, 2, 3] : [9]))
        }
    }

    @Test func `over the limit of images the least recently stored or renewed are evicted`() async throws {
        try await withStore(images: 3) { store, _ in
            for image in 1...3 { _ = try await store.keep(kept([image], on: image, etag: "x")) }
            #expect(try await images(1...3, in: store) == [1, 2, 3])
            _ = try await store.renew(UUID(number: 1), AnswerValidators(etag: "x"), savedAt: moment(-1_000))
            // The age of an answer does not matter.
            _ = try await store.keep(kept([4], on: 4, at: -1_000_000))
            #expect(try await images(1...4, in: store) == [1, 3, 4])
        }
    }

    @Test(arguments: [0, 1]) func `over the limit of bytes the oldest answers are evicted`(excess: Int) async throws {
        let bytes = (1...3).map { kept([$0], on: $0).bytes }.reduce(0, +)
        try await withStore(bytes: bytes - excess) { store, pool in
            for image in 1...3 { _ = try await store.keep(kept([image], on: image)) }
            #expect(try await images(1...3, in: store) == (excess == 0 ? [1, 2, 3] : [2, 3]))
            let left = try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM comment") }
            #expect(left == 3 - excess)
        }
    }

    @Test(arguments: [0, 1]) func `the places of removed comments count against the limit`(excess: Int) async throws {
        let bytes = kept([1], on: 1).bytes + kept([5], on: 2).bytes + 3 * CommentPlace.bytes
        try await withStore(bytes: bytes - excess) { store, _ in
            _ = try await store.keep(kept([1, 2, 3, 4], on: 1))
            // Three comments are removed; their places remain.
            _ = try await store.keep(kept([1], on: 1))
            #expect(try await store.numbers(of: 1, after: 4) == [])
            _ = try await store.keep(kept([5], on: 2))
            #expect(try await images(1...2, in: store) == (excess == 0 ? [1, 2] : [2]))
        }
    }

    @Test(arguments: [0, 1]) func `as many places of removed comments are stored as fit beside the answer`(excess: Int)
        async throws
    {
        let (before, after) = (kept([1, 2, 3]), kept([7, 8, 9]))
        try await withStore(bytes: after.bytes + 3 * CommentPlace.bytes - excess) { store, _ in
            _ = try await store.keep(before)
            #expect(try await store.keep(after))
            #expect(try await store.numbers() == [7, 8, 9])
            let places = await [1, 2, 3].asyncCount { (try? await store.numbers(after: $0)) != nil }
            #expect(places == 3 - excess)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `the size of an answer equals that of its rows and the total is within the limit`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let limit = 4_000
        try await withStore(bytes: limit) { store, pool in
            for _ in 1...100 {
                let numbers = (1...12).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
                let image = Int.random(in: 0...4, using: &random)
                #expect(try await store.keep(kept(numbers, on: image)))
                #expect(try await store.numbers(of: image) == numbers)
                let sizes = try await pool.read { db in
                    try Row.fetchAll(
                        db,
                        sql: """
                            SELECT bytes, (SELECT coalesce(sum(100 + coalesce(length(CAST(message AS BLOB)), 0)
                                + coalesce(length(CAST(username AS BLOB)), 0)), 0) FROM comment
                                WHERE comment.image_id = answer.image_id) FROM answer
                            """
                    ).map { ($0[0] as Int, $0[1] as Int) }
                }
                #expect(sizes.allSatisfy { $0 == $1 } && sizes.reduce(0) { $0 + $1.1 } <= limit)
            }
        }
    }

    @Test func `a migration recounts the sizes of a store of version 1`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/comments-edge.sqlite"
            let pool = try SQLiteKeptComments.opening.open(path)
            let store = SQLiteKeptComments(pool)
            _ = try await store.keep(kept([1, 2, 3]))
            _ = try await store.keep(kept([1]))
            let bytes = kept([1]).bytes
            try await pool.write { db in
                try db.execute(sql: "UPDATE answer SET bytes = ?", arguments: [bytes])
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '2 %'")
            }
            try pool.close()
            let counted = try await SQLiteKeptComments.opening.open(path).read { db in
                try Int.fetchOne(db, sql: "SELECT bytes FROM answer")
            }
            #expect(counted == bytes + 2 * CommentPlace.bytes)
        }
    }

    @Test(arguments: [0, 1]) func `an answer that alone exceeds the limit is not stored`(excess: Int) async throws {
        let answer = kept([1, 2])
        try await withStore(bytes: answer.bytes - excess) { store, _ in
            let isKept = try await store.keep(answer)
            #expect(isKept == (excess == 0))
        }
    }

    @Test func `the default limits`() {
        #expect(KeptLimits().comments == 150_000)
        #expect(KeptLimits().images == 20_000)
        #expect(KeptLimits().bytes == 268_435_456)
    }

    @Test func `a failed write leaves the earlier answer`() async throws {
        try await withStore { store, pool in
            _ = try await store.keep(kept([1, 2], at: 1, etag: "a"))
            try await pool.write { db in
                try db.execute(
                    sql: """
                        CREATE TRIGGER failing BEFORE INSERT ON comment WHEN NEW.message = 'No. 4'
                        BEGIN SELECT RAISE(ABORT, 'no more'); END
                        """)
            }
            await #expect(throws: DatabaseError.self) { try await store.keep(kept([3, 4], at: 2, etag: "b")) }
            #expect(try await store.numbers() == [1, 2])
            #expect(try store.validators(of: UUID(number: 0))?.etag == "a")
            #expect(try store.slice(1, of: UUID(number: 0), after: nil)?.savedAt == moment(1))
        }
    }

    @Test func `an authority's store cannot be opened as an edge's, or the reverse`() async throws {
        try await withTemporaryDirectory { directory in
            let (origin, edge) = (directory + "/a.sqlite", directory + "/b.sqlite")
            _ = try SQLiteCommentsStore.opening.open(origin)
            _ = try SQLiteKeptComments.opening.open(edge)
            #expect(throws: StoreUnusable(path: origin, reason: .foreign)) {
                try SQLiteKeptComments.opening.open(origin)
            }
            #expect(throws: StoreUnusable(path: edge, reason: .foreign)) { try SQLiteCommentsStore.opening.open(edge) }
        }
    }

    @Test func `eviction reads no comments`() async throws {
        try await withStore { _, pool in
            let plan = try pool.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + SQLiteKeptComments.sizeQuery)
            }
            #expect("\(plan)".contains("COVERING INDEX answer_by_turn"))
        }
    }

    private func images(_ candidates: ClosedRange<Int>, in store: SQLiteKeptComments) async throws -> [Int] {
        var there: [Int] = []
        for image in candidates where try await store.numbers(of: image) != nil { there.append(image) }
        return there
    }

    private func withStore(
        comments: Int = 100, images: Int = 100, bytes: Int = 1_000_000,
        _ body: (SQLiteKeptComments, DatabasePool) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var limits = KeptLimits()
            (limits.comments, limits.images, limits.bytes) = (comments, images, bytes)
            let pool = try SQLiteKeptComments.opening.open(directory + "/comments-edge.sqlite")
            try await body(SQLiteKeptComments(pool, limits: limits), pool)
        }
    }
}

extension Array {
    fileprivate func asyncCount(where isCounted: (Element) async -> Bool) async -> Int {
        var count = 0
        for element in self where await isCounted(element) { count += 1 }
        return count
    }
}
