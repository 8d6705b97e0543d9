import CommentsContract
import FeedContract
import Foundation
import GRDB
import Logging
import RPC
import RPCTestKit
import SQLiteKit
import Search
import Testing

@testable import search_service

/// The order of the work on the index, with scripted services.
@Suite struct FollowerTests {
    @Test func `an event that arrives during a walk is applied before its end`() async throws {
        let new = UUID(1)
        let (reads, read) = AsyncStream.makeStream(of: Void.self)
        var feed = MethodTable(FeedContract.contract)
        feed.handle(FeedContract.count) { _, _ in Count(count: 1_000_000) }
        // A feed without end. Each of its images is a stretch of its own.
        feed.handle(FeedContract.load) { _, _ in
            read.yield()
            let item = FeedItem(
                id: UUID(), description: String(repeating: "x", count: FeedReader.fullBytes),
                image: "https://example.org/a")
            return LoadedFeed(items: [item], nextAfterID: item.id, prevBeforeID: nil, origin: .store)
        }
        feed.handle(FeedContract.watch) { _, _, items in
            try await items.send(FeedEvent(seq: "1", change: .reset))
            for await _ in reads.dropFirst(Follower.stretchesAtOnce) { break }
            let item = FeedItem(id: new, description: "chick", image: "https://example.org/a")
            try await items.send(FeedEvent(seq: "2", change: .published([item])))
            await waitForCancellation()
        }
        try await follow(
            feed, Self.withoutComments,
            while: { index in
                try await index.wait(for: "chick")
                #expect(try index.progress().walk == .walking)
            })
    }

    @Test func `events that were missed before a walk and are applied after its pages leave the order of the feed`()
        async throws
    {
        // A was removed and published again before B, while search did not run.
        let (a, b, last) = (FeedItem(1, "a"), FeedItem(2, "b"), FeedItem(3, "chick"))
        var feed = MethodTable(FeedContract.contract)
        feed.handle(FeedContract.count) { _, _ in Count(count: 2) }
        let (reads, read) = AsyncStream.makeStream(of: Void.self)
        feed.handle(FeedContract.load) { _, _ in
            read.yield()
            return LoadedFeed(items: [b, a], nextAfterID: nil, prevBeforeID: nil, origin: .store)
        }
        feed.handle(FeedContract.watch) { params, _, items in
            let missed: [FeedEvent.Change] = [.published([a]), .removed([a.id]), .published([a]), .published([b])]
            for change in params.since == "1" ? missed : [.reset] {
                try await items.send(FeedEvent(seq: "2", change: change))
            }
            for await _ in reads { break }
            try await items.send(FeedEvent(seq: "3", change: .published([last])))
            await waitForCancellation()
        }
        try await follow(feed, Self.withoutComments) { index in
            _ = try await index.apply([IndexEvent(seq: "1", change: .feedReset)], from: IndexProgress())
        } while: { index in
            func find(_ words: String) async throws -> [UUID] {
                try await index.find(SearchQuery(words), 10, after: nil, maximumTotal: 10).images.map(\.id)
            }
            try await index.wait(for: "chick")
            #expect(try await find("") == [last.id, b.id, a.id])
        }
    }

    /// A service without comments.
    private static var withoutComments: MethodTable {
        var comments = MethodTable(CommentsContract.contract)
        comments.handle(CommentsContract.lists) { params, _ in
            CommentLists(
                lists: params.imageIDs.map { CommentList(imageID: $0, items: [], nextAfterID: nil) }, rest: nil)
        }
        comments.handle(CommentsContract.watch) { _, _, _ in await waitForCancellation() }
        return comments
    }

    /// Runs a follower of these services while `body` uses its index.
    /// - Parameter prepare: changes the index before.
    private func follow(
        _ feed: MethodTable, _ comments: MethodTable, prepare: (SearchIndex) async throws -> Void = { _ in },
        while body: (SearchIndex) async throws -> Void
    ) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        // Time stands still: each step follows from an event, and no call is late.
        let executor = LoopExecutor.timed(by: ManualClock())
        try await withTemporaryDirectory { directory in
            let path = directory + "/search.sqlite"
            let pool = try SearchIndex.opening.open(path)
            try await prepare(SearchIndex(pool))
            let store = Store(SearchIndex.opening, at: path, .success(pool), logger: logger)
            try await TestServer.with(feed, executor: executor) { feed in
                try await TestServer.with(comments, executor: executor) { comments in
                    try await RPCClient.withConnection(to: feed.path, as: "test", executor: executor) { feed in
                        try await RPCClient.withConnection(to: comments.path, as: "test", executor: executor) {
                            comments in
                            let follower = Follower(
                                services: FollowedServices(feed: feed, comments: comments), index: store,
                                standing: IndexStanding(logger: logger, now: { Date() }), logger: logger,
                                clock: executor.clock)
                            try await withThrowingTaskGroup(of: Void.self) { group in
                                group.addTask { await follower.run() }
                                try await body(SearchIndex(pool))
                                group.cancelAll()
                            }
                        }
                    }
                }
            }
        }
    }
}

extension SearchIndex {
    /// Returns once an image is found by this word.
    fileprivate func wait(for word: String) async throws {
        let changes = ValueObservation.tracking(region: .fullDatabase) { _ in }
            .values(in: pool, bufferingPolicy: .bufferingNewest(1))
        for try await _ in changes {
            if try await !find(SearchQuery(word), 1, after: nil, maximumTotal: 1).images.isEmpty { return }
        }
    }
}
