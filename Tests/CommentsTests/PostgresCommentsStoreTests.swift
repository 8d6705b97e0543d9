import Comments
import Foundation
import Logging
import RPCTestKit
import ServiceKit
import Testing

@testable import PostgresKit
@testable import comments_service

extension PostgresStore {
    /// The comments' store in a database.
    static func database(_ url: String) throws -> PostgresStore {
        PostgresStore(CommentsTables.schema, at: try #require(try DatabaseURL(url)), logger: Logger(label: "store"))
    }
}

/// Tests of the PostgreSQL store only.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresCommentsStoreTests {
    private let url: String

    init() throws { url = try PostgresServer.shared.get().newDatabase() }

    @Test func `comments of several services have one order, and each is posted once`() async throws {
        let services = try (1...2).map { _ in PostgresCommentsStore(try .database(url)) }
        let start = try await services[0].lastChange()
        let new = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...40 {
                // Each is posted to both.
                for service in services {
                    group.addTask { try await service.post(draft(number), now: .now).isNew }
                }
            }
            return try await group.reduce(into: 0) { count, isNew in count += isNew ? 1 : 0 }
        }
        #expect(new == 40)
        let image = draft(1).imageID
        let list = try await services[0].slice(100, of: image, after: nil).items
        #expect(list.map(\.createdAt) == list.map(\.createdAt).sorted())
        #expect(try await services[1].counts(of: [image]) == [image: 40])
        var (mark, changes) = (start, [ImageComment]())
        while let news = try await services[mark.number % 2].news(after: mark) {
            guard case .change(.posted(let comments)) = news.content else { break }
            changes += comments
            mark = news.mark
        }
        #expect(changes == list)
    }

    @Test func `posts that wait together are one change, and each has its own result`() async throws {
        let store = try PostgresStore.database(url)
        let comments = PostgresCommentsStore(store)
        for number in [8, 9] { _ = try await comments.post(draft(number), now: .now) }
        _ = try await comments.remove(draft(8).id)
        let start = try await comments.lastChange()
        let (entered, entering) = AsyncStream.makeStream(of: Void.self)
        let leaving = DispatchSemaphore(value: 0)
        async let blocking: Void = store.write { _ in
            entering.yield()
            leaving.wait()
        }
        for await _ in entered { break }
        let drafts = [draft(1), draft(1), draft(1, saying: "Another"), draft(2, on: 1), draft(9), draft(8)]
        var posts: [Task<PostedComment, any Error>] = []
        for draft in drafts {
            posts.append(Task { try await comments.post(draft, now: .now) })
            await store.waitForWrites(posts.count)
        }
        leaving.signal()
        try await blocking
        var results: [Result<PostedComment, any Error>] = []
        for post in posts { results.append(await post.result) }

        #expect(results.map { (try? $0.get())?.isNew } == [true, false, nil, true, false, true])
        #expect(throws: CommentsStoreError.conflict(draft(1).id)) { try results[2].get() }
        let new = try [0, 3, 5].map { try results[$0].get().comment }
        #expect(try await comments.news(after: start)?.content == .change(.posted(new)))
        #expect(
            try await comments.slice(9, of: draft(1).imageID, after: nil).items.map(\.id)
                == [9, 1, 8].map { draft($0).id })
        #expect(try await comments.counts(of: [draft(1).imageID, draft(2, on: 1).imageID]).values.sorted() == [1, 3])
    }

    @Test func `a page is a range of an index`() async throws {
        let store = try PostgresStore.database(url)
        let comments = PostgresCommentsStore(store)
        for number in 1...300 { _ = try await comments.post(draft(number, on: number % 3), now: .now) }
        try PostgresServer.shared.get().execute("ANALYZE", in: url)
        let plan = try await store.read { db in
            try db.execute("SET enable_seqscan = off")
            return try db.execute(
                "EXPLAIN \(PostgresCommentsStore.sliceQuery)", .value(draft(1).imageID), .value(Int64(0)),
                .value(Int64(0)),
                .value(Int64(11))
            ).map { try $0.decode(0, as: String.self) }.joined(separator: "\n")
        }
        #expect(
            plan.contains("comment_by_image") && !plan.contains("Sort") && plan.contains("ROW(created_at"), "\(plan)")
    }
}
