import Feed
import Foundation
import Logging
import PostgresKit
import RPCTestKit
import ServiceKit
import Testing

@testable import feed_service

extension PostgresStore {
    /// The feed's store in a database.
    static func database(_ url: String) throws -> PostgresStore {
        PostgresStore(FeedTables.schema, at: try #require(try DatabaseURL(url)), logger: Logger(label: "store"))
    }
}

/// Tests of the PostgreSQL store only.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresFeedStoreTests {
    private let server: PostgresServer
    private let url: String

    init() throws {
        server = try PostgresServer.shared.get()
        url = try server.newDatabase()
    }

    @Test func `the integrity check detects a wrong number of items`() async throws {
        let store = PostgresFeedStore(try .database(url))
        _ = try await store.publish([picture(1)])
        try await store.checkIntegrity()
        try server.execute("UPDATE feed.total SET items = 2", in: url)
        await #expect(throws: StoreError.damaged) { try await store.checkIntegrity() }
    }

    @Test func `an item that another program has damaged is not read`() async throws {
        let store = PostgresFeedStore(try .database(url))
        _ = try await store.publish([picture(1), picture(2)])
        try server.execute("UPDATE feed.item SET tags = '[' WHERE position = 1", in: url)
        await #expect(throws: StoreError.damaged) { try await store.item(picture(2).id) }
        #expect(try await store.item(picture(1).id) == picture(1).published)
    }

    /// A watcher that applies the changes one by one has the feed of the store, whichever service it asks.
    @Test func `changes and positions of several services follow one order`() async throws {
        let services = try (1...3).map { _ in PostgresFeedStore(try .database(url)) }
        let start = try await services[0].lastChange()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<12 {
                group.addTask {
                    let service = services[writer % services.count]
                    for step in 1...8 {
                        let number = (writer + 1) * 100 + step
                        _ = try await service.publish([picture(number), picture(number + 50)])
                        // Some ids are removed twice, by different services.
                        if step % 3 == 0 {
                            _ = try await services[step % services.count].remove([picture(number).id])
                            _ = try await service.remove([picture(number - 1).id, picture(number).id])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let stored = try await services[0].slice(1_000, at: .start).items.map(\.id)
        for first in services.indices {
            var (feed, mark, count, service) = ([UUID](), start, 0, first)
            while let news = try await services[service].news(after: mark) {
                switch news.content {
                case .change(.published(let items)): feed = items.map(\.id) + feed
                case .change(.removed(let ids)): feed.removeAll { ids.contains($0) }
                default: Issue.record("\(news)")
                }
                #expect(news.mark.number == mark.number + 1)
                (mark, count) = (news.mark, count + 1)
                // A watcher may continue at another service.
                service = (service + 1) % services.count
            }
            #expect(feed == stored)
            #expect(try await services[first].lastChange() == mark)
        }
        try await services[0].checkIntegrity()
    }

    @Test func `an item that several services publish at once is new once`() async throws {
        let services = try (1...4).map { _ in PostgresFeedStore(try .database(url)) }
        for number in 1...10 {
            let new = try await withThrowingTaskGroup(of: Int.self) { group in
                for service in services { group.addTask { try await service.publish([picture(number)]).count } }
                return try await group.reduce(0, +)
            }
            #expect(new == 1)
        }
        #expect(try await services[0].count() == 10)
    }

    @Test func `several services create the tables once`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                let service = PostgresFeedStore(try .database(url))
                group.addTask { _ = try await service.publish([picture(number)]) }
            }
            try await group.waitForAll()
        }
        #expect(try await PostgresFeedStore(.database(url)).count() == 8)
    }

    @Test(arguments: [PostgresFeedStore.firstPage, PostgresFeedStore.pageAfter, PostgresFeedStore.pageBefore])
    func `a page is a range of an index`(query: String) async throws {
        let store = try PostgresStore.database(url)
        _ = try await PostgresFeedStore(store).publish((1...4_000).map { picture($0) })
        _ = try await PostgresFeedStore(store).remove((2_001...4_000).map { picture($0).id })
        try server.execute("ANALYZE", in: url)
        for mode in ["force_custom_plan", "force_generic_plan"] {
            let plan = try await store.read { db in
                try db.execute("SELECT set_config('plan_cache_mode', $1, false)", .value(mode))
                let first =
                    query == PostgresFeedStore.firstPage
                    ? .value(Int64.max) : PostgresParameter.value(picture(1_000).id)
                return try db.execute("EXPLAIN \(query)", first, .value(Int64(11))).map {
                    try $0.decode(0, as: String.self)
                }
            }
            let text = plan.joined(separator: "\n")
            #expect(text.contains("using item_pkey") && !text.contains("Seq Scan") && !text.contains("Sort"), "\(text)")
        }
    }
}
