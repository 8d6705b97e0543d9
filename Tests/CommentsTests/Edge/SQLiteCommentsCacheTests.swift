import Comments
import EdgeModel
import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import Testing

@testable import comments_service

/// Tests of the SQLite store only.
@Suite struct SQLiteCommentsCacheTests {
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
            let pool = try SQLiteCommentsCache.opening.open(path)
            let store = SQLiteCommentsCache(pool)
            _ = try await store.keep(kept([1, 2, 3]))
            _ = try await store.keep(kept([1]))
            let bytes = kept([1]).bytes
            try await pool.write { db in
                try db.execute(sql: "UPDATE answer SET bytes = ?", arguments: [bytes])
                try db.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '2 %'")
            }
            try pool.close()
            let counted = try await SQLiteCommentsCache.opening.open(path).read { db in
                try Int.fetchOne(db, sql: "SELECT bytes FROM answer")
            }
            #expect(counted == bytes + 2 * CommentPlace.bytes)
        }
    }

    @Test(arguments: 1...3)
    func `a cache of any version keeps its answers, and begins or continues its log`(version: Int) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/comments-edge.sqlite"
            let opening = SQLiteCommentsCache.opening
            let old = StoreOpening(applicationID: opening.applicationID, migrator: DatabaseMigrator(), isCache: true)
            let first = try old.open(path)
            try opening.migrator.migrate(first, upTo: opening.migrator.migrations[version - 1])
            let answer = kept([1, 3], etag: #""1""#)
            let time = Int(moment(0).timeIntervalSince1970)
            // Version 1 did not count the place of 2, which was removed.
            let bytes = answer.bytes + (version < 2 ? 0 : CommentPlace.bytes)
            try await first.write { db in
                try db.execute(
                    sql: #"INSERT INTO answer VALUES (?, 1, ?, '"1"', NULL, 2, ?)"#,
                    arguments: [answer.imageID, time, bytes])
                for comment in answer.comments {
                    try db.execute(
                        sql: "INSERT INTO comment VALUES (?, ?, ?, NULL, ?, ?, ?)",
                        arguments: [
                            answer.imageID, comment.id.number, comment.id, time, comment.username, comment.message,
                        ])
                }
                try db.execute(
                    sql: "INSERT INTO comment VALUES (?, 2, ?, ?, NULL, NULL, NULL)",
                    arguments: [answer.imageID, UUID(number: 2), time])
            }
            let logged = version < 3 ? nil : try await SQLiteCommentsCache(first).lastChange()
            try first.close()

            let pool = try opening.open(path)
            let cache = SQLiteCommentsCache(pool)
            #expect(try await cache.slice(10, of: answer.imageID, after: nil)?.slice.items == answer.comments)
            #expect(
                try await cache.slice(10, of: answer.imageID, after: UUID(number: 2))?.slice.items
                    == [answer.comments[1]])
            #expect(try await cache.validators(of: answer.imageID) == answer.validators)
            #expect(try await cache.counts(of: [answer.imageID]) == [answer.imageID: 2])
            let size = try await pool.read { try Int.fetchOne($0, sql: "SELECT bytes FROM answer") }
            #expect(size == answer.bytes + CommentPlace.bytes)
            let mark = try await cache.lastChange()
            #expect(logged == nil || logged == mark)
            let next = kept([1, 3, 4])
            #expect(try await cache.keep(next))
            #expect(try await cache.news(after: mark)?.content == .change(.posted([next.comments[2]])))
            try pool.close()
        }
    }

    @Test func `changes are logged with their writes, also what was evicted, and the log survives a restart`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            var limits = CommentsCacheLimits()
            limits.images = 1
            let path = directory + "/comments-edge.sqlite"
            var pool = try SQLiteCommentsCache.opening.open(path)
            var cache = SQLiteCommentsCache(pool, limits: limits)
            var mark = try await cache.lastChange()
            #expect(try await cache.news(after: mark) == nil)
            let (first, second) = (kept([1, 2], on: 1), kept([3], on: 2))
            for answer in [first, kept([2], on: 1), second] { _ = try await cache.keep(answer) }
            try await cache.forget(second.imageID)
            try pool.close()

            pool = try SQLiteCommentsCache.opening.open(path)
            cache = SQLiteCommentsCache(pool, limits: limits)
            let ids = { (numbers: [Int]) in numbers.map(UUID.init(number:)) }
            for change in [
                CommentsChange.posted(first.comments), .removed(ids([1])), .posted(second.comments), .removed(ids([2])),
                .removed(ids([3])),
            ] {
                let news = try #require(try await cache.news(after: mark))
                #expect(news.content == .change(change))
                mark = news.mark
            }
            #expect(try await cache.news(after: mark) == nil)
            #expect(try await cache.lastChange() == mark)
        }
    }

    @Test(arguments: [0, 1]) func `a long list is logged in changes that fit into a message`(excess: Int) async throws {
        try await withStore { cache, _ in
            var mark = try await cache.lastChange()
            func next() async throws -> CommentsChange? {
                guard let news = try await cache.news(after: mark), case .change(let change) = news.content else {
                    return nil
                }
                mark = news.mark
                return change
            }
            // By their number, and by the size of their texts.
            let most = SQLiteCommentsCache.loggedAtOnce
            let list = kept(Array(1...most + excess))
            #expect(try await cache.keep(list))
            #expect(try await next() == .posted(Array(list.comments[..<most])))
            #expect(try await next() == (excess == 0 ? nil : .posted(Array(list.comments[most...]))))
            let half = CommentsPage.maximumBytes / 2
            let large = (1...2).map { number in
                ImageComment(
                    id: UUID(number: number), imageID: list.imageID,
                    message: String(repeating: "x", count: half - 3 + (number == 2 ? excess : 0)),
                    createdAt: moment(0), username: "ana")
            }
            try await cache.forget(list.imageID)
            while try await next() != nil {}
            #expect(try await cache.keep(CachedComments(imageID: list.imageID, comments: large, savedAt: moment(1))))
            #expect(try await next() == .posted(Array(large.prefix(excess == 0 ? 2 : 1))))
            #expect(try await next() == (excess == 0 ? nil : .posted([large[1]])))
        }
    }

    @Test func `an evicted answer's comments are deleted`() async throws {
        try await withStore(images: 2) { store, pool in
            for image in 1...3 { _ = try await store.keep(kept([1, 2], on: image)) }
            #expect(try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM comment") } == 4)
        }
    }

    @Test func `the default limits`() {
        #expect(CommentsCacheLimits().comments == 150_000)
        #expect(CommentsCacheLimits().images == 20_000)
        #expect(CommentsCacheLimits().bytes == 268_435_456)
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
            #expect(try await store.validators(of: UUID(number: 0))?.etag == "a")
            #expect(try await store.slice(1, of: UUID(number: 0), after: nil)?.savedAt == moment(1))
        }
    }

    @Test func `an authority's store cannot be opened as an edge's, or the reverse`() async throws {
        try await withTemporaryDirectory { directory in
            let (origin, edge) = (directory + "/a.sqlite", directory + "/b.sqlite")
            _ = try SQLiteCommentsStore.opening.open(origin)
            _ = try SQLiteCommentsCache.opening.open(edge)
            #expect(throws: StoreUnusable(path: origin, reason: .foreign)) {
                try SQLiteCommentsCache.opening.open(origin)
            }
            #expect(throws: StoreUnusable(path: edge, reason: .foreign)) { try SQLiteCommentsStore.opening.open(edge) }
        }
    }

    @Test func `eviction reads no comments`() async throws {
        try await withStore { _, pool in
            let plan = try pool.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + SQLiteCommentsCache.sizeQuery)
            }
            #expect("\(plan)".contains("COVERING INDEX answer_by_turn"))
        }
    }

    private func withStore(
        images: Int = 100, bytes: Int = 100_000_000,
        _ body: (SQLiteCommentsCache, DatabasePool) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            var limits = CommentsCacheLimits()
            (limits.images, limits.bytes) = (images, bytes)
            let pool = try SQLiteCommentsCache.opening.open(directory + "/comments-edge.sqlite")
            try await body(SQLiteCommentsCache(pool, limits: limits), pool)
        }
    }
}
