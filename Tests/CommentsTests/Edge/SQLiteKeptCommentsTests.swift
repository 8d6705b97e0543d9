import Comments
import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import Testing

@testable import comments_service

/// What only the SQLite store has.
@Suite struct SQLiteKeptCommentsTests {
    @Test(arguments: [(3, true), (4, false)])
    func `an answer with too many comments is not kept, and the one before stays`(
        count: Int, isKept: Bool
    ) async throws {
        try await withStore(comments: 3) { store, _ in
            _ = try await store.keep(kept([9]))
            #expect(try await store.keep(kept(Array(1...count))) == isKept)
            #expect(try await store.numbers() == (isKept ? [1, 2, 3] : [9]))
        }
    }

    @Test func `of too many images those that were kept or renewed first go`() async throws {
        try await withStore(images: 3) { store, _ in
            for image in 1...3 { _ = try await store.keep(kept([image], on: image, etag: "x")) }
            #expect(try await images(1...3, in: store) == [1, 2, 3])
            _ = try await store.renew(UUID(number: 1), AnswerValidators(etag: "x"), savedAt: moment(-1_000))
            // Whatever age it has.
            _ = try await store.keep(kept([4], on: 4, at: -1_000_000))
            #expect(try await images(1...4, in: store) == [1, 3, 4])
        }
    }

    @Test(arguments: [0, 1]) func `of too many bytes those that were kept first go`(excess: Int) async throws {
        let bytes = (1...3).map { kept([$0], on: $0).bytes }.reduce(0, +)
        try await withStore(bytes: bytes - excess) { store, pool in
            for image in 1...3 { _ = try await store.keep(kept([image], on: image)) }
            #expect(try await images(1...3, in: store) == (excess == 0 ? [1, 2, 3] : [2, 3]))
            let left = try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM comment") }
            #expect(left == 3 - excess)
        }
    }

    @Test(arguments: [0, 1]) func `an answer that alone is too many bytes is not kept`(excess: Int) async throws {
        let answer = kept([1, 2])
        try await withStore(bytes: answer.bytes - excess) { store, _ in
            let isKept = try await store.keep(answer)
            #expect(isKept == (excess == 0))
        }
    }

    @Test func `the limits that are meant`() {
        #expect(KeptLimits().comments == 10_000)
        #expect(KeptLimits().images == 20_000)
        #expect(KeptLimits().bytes == 268_435_456)
    }

    @Test func `a write that fails in the middle leaves the answer before`() async throws {
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

    @Test func `neither the origin's store nor the edge's is taken for the other`() async throws {
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

    @Test func `making room looks at no comment`() async throws {
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
