import Comments
import Foundation
import Logging
import PostgresKit
import RPCTestKit
import ServiceKit
import Testing

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
