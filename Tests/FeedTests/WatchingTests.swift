import Feed
import FeedContract
import Foundation
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import feed_service

/// `feed.watch` over a real socket.
struct WatchingTests {
    private func withClient(
        _ body: @escaping @Sendable (RPCClient, ChangeBroadcast<FeedChange>) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let store = SQLiteFeedStore(try SQLiteFeedStore.opening.open(directory + "/feed.sqlite"))
            try await withClient(of: store, ChangeBroadcast(store), body)
        }
    }

    private func withClient(
        of store: any FeedStore, _ broadcast: ChangeBroadcast<FeedChange>,
        _ body: @escaping @Sendable (RPCClient, ChangeBroadcast<FeedChange>) async throws -> Void
    ) async throws {
        let handlers = FeedHandlers(store: store, broadcast: broadcast, now: { .publication })
        try await TestServer.with(handlers.table) { server in
            try await RPCClient.withConnection(to: server.path, as: "test") { try await body($0, broadcast) }
        }
    }

    private func item(_ number: Int) -> FeedItem {
        FeedItem(id: UUID(number: number), image: "urn:x:\(number)", publishedAt: .publication)
    }

    private func publish(_ numbers: Int..., with client: RPCClient) async throws {
        _ = try await client.call(FeedContract.publish, PublishedItems(items: numbers.map(item)))
    }

    private func remove(_ numbers: Int..., with client: RPCClient) async throws {
        _ = try await client.call(FeedContract.remove, RemovedItems(ids: numbers.map { UUID(number: $0) }))
    }

    /// Reads this many events.
    private func watch(_ client: RPCClient, since: String, _ count: Int) async throws -> [FeedEvent] {
        try await client.withStream(FeedContract.watch, WatchFeed(since: since)) { items in
            var (items, events) = (items, [FeedEvent]())
            while events.count < count, let event = try await items.next() { events.append(event) }
            return events
        }
    }

    @Test func `events have only the items that were stored or removed, in feed order`() async throws {
        try await withClient { client, _ in
            try await publish(3, with: client)
            let start = try await watch(client, since: "", 1)
            #expect(start.map(\.change) == [.reset])

            try await publish(1, 3, 2, with: client)
            try await publish(2, 1, with: client)
            try await remove(9, with: client)
            try await remove(9, 2, 1, with: client)
            await #expect(throws: RPCError.self) {
                try await client.call(
                    FeedContract.publish, PublishedItems(items: [item(7), FeedItem(id: item(3).id, image: "urn:y")]))
            }
            try await publish(2, with: client)

            let events = try await watch(client, since: start[0].seq, 3)
            #expect(
                events.map(\.change) == [
                    .published([item(1), item(2)]), .removed([UUID(number: 1), UUID(number: 2)]),
                    .published([item(2)]),
                ])
            // A watch from any event returns the same rest.
            #expect(try await watch(client, since: events[0].seq, 2) == Array(events[1...]))
            #expect(Set(events.map(\.seq)).count == 3)
        }
    }

    @Test(arguments: ["", "x", "other.1", "this.7", "this.-1", "this.01"])
    func `an unknown since gets a reset and then the following changes`(since: String) async throws {
        try await withClient { client, _ in
            try await publish(1, with: client)
            try await client.withStream(FeedContract.watch, WatchFeed(since: since)) { items in
                var items = items
                let reset = try #require(try await items.next())
                #expect(reset.seq.hasSuffix(".1") && reset.change == .reset)
                try await publish(2, with: client)
                let next = try #require(try await items.next())
                #expect(next.seq.hasSuffix(".2") && next.change == .published([item(2)]))
            }
        }
    }

    @Test func `without since only later changes are sent`() async throws {
        try await withClient { client, broadcast in
            try await publish(1, with: client)
            try await client.withStream(FeedContract.watch, WatchFeed()) { items in
                var items = items
                await broadcast.wait { $0 == 1 }
                try await publish(2, with: client)
                #expect(try await items.next()?.change == .published([item(2)]))
            }
            // No waiter is left after the watches have ended.
            await broadcast.wait { $0 == 0 }
        }
    }

    /// A watcher that applies the events one by one has the feed of the store.
    @Test func `concurrent writes are sent in the order of the store`() async throws {
        try await withClient { client, _ in
            let start = try await watch(client, since: "", 1)[0].seq
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 1...20 {
                    group.addTask {
                        for step in 0..<5 {
                            try await publish(writer * 10 + step, writer * 10 + step + 5, with: client)
                            if step % 2 == 1 { try await remove(writer * 10 + step - 1, with: client) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            var feed: [UUID] = []
            for event in try await watch(client, since: start, 20 * 7) {
                switch event.change {
                case .published(let items): feed = items.map(\.id) + feed
                case .removed(let ids): feed.removeAll { ids.contains($0) }
                case .found, .forgotten, .reset: Issue.record("\(event.change)")
                }
            }
            var (stored, cursor) = ([UUID](), UUID?.none)
            repeat {
                let page = try await client.call(FeedContract.load, LoadFeed(limit: 100, afterID: cursor))
                stored += page.items.map(\.id)
                cursor = page.nextAfterID
            } while cursor != nil
            #expect(feed == stored)
        }
    }

    @Test func `a watcher that does not read gets a reset once it is too far behind`() async throws {
        let changes = ListedChanges()
        try await withClient(of: InMemoryFeedStore(), ChangeBroadcast(changes)) { client, broadcast in
            var options = CallOptions.endless()
            options.window = 1
            try await client.withStream(FeedContract.watch, WatchFeed(since: ""), options) { items in
                var (items, taken) = (items, 0)
                // The watch has begun.
                _ = try await items.next()
                for number in 1...100 { changes.record(.published([picture(number)])) }
                broadcast.wake()
                changes.trim()
                var last = FeedEvent?.none
                while last?.seq != changes.mark.text, let event = try await items.next() {
                    taken += 1
                    last = event
                }
                // Only events that were already sent when it stopped reading, and the reset.
                #expect(taken <= 3 && last?.change == .reset)
            }
            // After that it gets later changes like any other watcher.
            #expect(try await watch(client, since: "this.99", 1).map(\.seq) == ["this.100"])
        }
    }
}
