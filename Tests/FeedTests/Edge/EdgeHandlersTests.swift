import EdgeModel
import FeedContract
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import feed_service

/// The methods of an edge.
struct EdgeHandlersTests {
    @Test func `an item that the edge has shown is answered, another is what the upstream says`() async throws {
        try await withClient { client in
            let page = try await client.call(FeedContract.load, LoadFeed())
            let known = try await client.call(FeedContract.get, FeedItemSelection(id: UUID(number: 1)))
            #expect(known.item == page.items.last && known.origin == .cache && known.savedAt != nil)
            let error = await #expect(throws: RPCError.self) {
                try await client.call(FeedContract.get, FeedItemSelection(id: UUID(number: 3)))
            }
            #expect(error?.kind == .notFound)
        }
    }

    @Test func `an edge has the items that it has shown, in the order of the ids`() async throws {
        try await withClient { client in
            let ids = [1, 3, 2].map { UUID(number: $0) }
            #expect(try await client.call(FeedContract.items, SelectedIDs(ids: ids)).items == [])
            let page = try await client.call(FeedContract.load, LoadFeed()).items
            let items = try await client.call(FeedContract.items, SelectedIDs(ids: ids)).items
            #expect(items == page.reversed())
        }
    }

    @Test func `an edge counts the items of its cache`() async throws {
        try await withClient { client in
            #expect(try await client.call(FeedContract.count, Empty()) == Count(count: 0))
            _ = try await client.call(FeedContract.load, LoadFeed())
            #expect(try await client.call(FeedContract.count, Empty()) == Count(count: 2))
        }
    }

    @Test func `an edge finds the items of its cache by the beginning of their ids`() async throws {
        try await withClient { client in
            let prefix = try #require(IDPrefix(String(UUID(number: 1).uuidString.prefix(8))))
            let find = FindItems(prefix: prefix)
            #expect(try await client.call(FeedContract.find, find).items == [])
            let page = try await client.call(FeedContract.load, LoadFeed()).items
            #expect(try await client.call(FeedContract.find, find).items == page.sorted { $0.id < $1.id })
        }
    }

    @Test func `publishing and removing are refused before they begin`() async throws {
        try await withClient { client in
            let item = FeedItem(id: UUID(number: 1), image: "https://pictures.example/1")
            let published = await #expect(throws: RPCError.self) {
                try await client.call(FeedContract.publish, PublishedItems(items: [item]))
            }
            let removed = await #expect(throws: RPCError.self) {
                try await client.call(FeedContract.remove, RemovedItems(ids: [item.id]))
            }
            for error in [published, removed] { #expect(error?.kind == .readOnly && error?.begun == false) }
        }
    }

    private func withClient(_ body: (RPCClient) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let rig = try EdgeRig(directory) { url, _ in
                url.contains("/v1/image/") ? UpstreamAnswer(status: 404) : .page([2, 1])
            }
            let table = EdgeHandlers(feed: rig.feed, validation: rig.validation).table
            try await TestServer.with(table) { server in
                try await RPCClient.withConnection(to: server.path, as: "test", body)
            }
        }
    }
}
