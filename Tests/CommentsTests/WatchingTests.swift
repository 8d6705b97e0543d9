import Comments
import CommentsContract
import Foundation
import RPC
import RPCTestKit
import ServiceKit
import Testing

@testable import comments_service

/// `comments.watch` over a real socket.
struct WatchingTests {
    private func withClient(
        _ body: @escaping @Sendable (RPCClient, ChangeBroadcast<CommentsChange>) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let store = SQLiteCommentsStore(try SQLiteCommentsStore.opening.open(directory + "/comments.sqlite"))
            let broadcast = ChangeBroadcast(store)
            let handlers = CommentsHandlers(
                store: store, broadcast: broadcast, now: { moment(0) }, newID: { UUID() })
            try await TestServer.with(handlers.table) { server in
                try await RPCClient.withConnection(to: server.path, as: "test") { try await body($0, broadcast) }
            }
        }
    }

    private func post(_ number: Int, saying message: String = "Lovely!", with client: RPCClient) async throws {
        let post = PostComment(
            imageID: UUID(number: 0), message: message, username: "ana", id: UUID(number: number))
        _ = try await client.call(CommentsContract.post, post)
    }

    private func posted(_ number: Int) -> CommentsEvent.Change {
        let comment = Comment(
            id: UUID(number: number), message: "Lovely!", createdAt: moment(0), author: .init(username: "ana"))
        return .posted([WatchedComment(imageID: UUID(number: 0), comment: comment)])
    }

    /// Reads this many events.
    private func watch(_ client: RPCClient, since: String, _ count: Int) async throws -> [CommentsEvent] {
        try await client.withStream(CommentsContract.watch, WatchComments(since: since)) { items in
            var (items, events) = (items, [CommentsEvent]())
            while events.count < count, let event = try await items.next() { events.append(event) }
            return events
        }
    }

    @Test func `only what was stored or removed is an event, in the order of the writes`() async throws {
        try await withClient { client, _ in
            try await post(3, with: client)
            let start = try await watch(client, since: "", 1)
            #expect(start.map(\.change) == [.reset])
            try await post(1, with: client)
            try await post(1, with: client)
            await #expect(throws: RPCError.self) { try await post(3, saying: "Ugly!", with: client) }
            for number in [9, 1, 1] {
                _ = try await client.call(CommentsContract.remove, CommentSelection(id: UUID(number: number)))
            }
            try await post(1, with: client)
            let events = try await watch(client, since: start[0].seq, 3)
            #expect(events.map(\.change) == [posted(1), .removed([UUID(number: 1)]), posted(1)])
            let rest = try await watch(client, since: events[0].seq, 2)
            #expect(rest == Array(events[1...]))
        }
    }

    @Test(arguments: ["", "x", "other.1", "this.7", "this.-1", "this.01"])
    func `an unknown since gets a reset and then the following changes`(since: String) async throws {
        try await withClient { client, _ in
            try await post(1, with: client)
            try await client.withStream(CommentsContract.watch, WatchComments(since: since)) { items in
                var items = items
                let reset = try #require(try await items.next())
                #expect(reset.seq.hasSuffix(".1") && reset.change == .reset)
                try await post(2, with: client)
                let next = try #require(try await items.next())
                #expect(next.seq.hasSuffix(".2") && next.change == posted(2))
            }
        }
    }

    @Test func `without since only later changes are sent`() async throws {
        try await withClient { client, broadcast in
            try await post(1, with: client)
            try await client.withStream(CommentsContract.watch, WatchComments()) { items in
                var items = items
                await broadcast.wait { $0 == 1 }
                try await post(2, with: client)
                #expect(try await items.next()?.change == posted(2))
            }
            // No waiter is left after the watch has ended.
            await broadcast.wait { $0 == 0 }
        }
    }

    @Test func `concurrent posts are events in the order of the store`() async throws {
        try await withClient { client, _ in
            let start = try await watch(client, since: "", 1)[0].seq
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 1...20 {
                    group.addTask { for step in 0..<5 { try await post(writer * 10 + step, with: client) } }
                }
                try await group.waitForAll()
            }
            let events = try await watch(client, since: start, 100)
            let told = events.map {
                if case .posted(let comments) = $0.change { comments[0].comment.id.number } else { 0 }
            }
            let listed = try await client.call(CommentsContract.list, ListComments(imageID: UUID(number: 0)))
            #expect(told == listed.items.map(\.id.number))
        }
    }

    // MARK: On an edge

    private func changes(_ cache: SQLiteCommentsCache, after start: ChangeMark) async throws -> [CommentsChange] {
        var (changes, mark) = ([CommentsChange](), start)
        while let news = try await cache.news(after: mark), case .change(let change) = news.content {
            changes.append(change)
            mark = news.mark
        }
        return changes
    }

    @Test func `an edge tells what is new and what is missing in a fetched list`() async throws {
        try await TestedEdge.with {
            .list([1, 2])
        } _: { edge in
            let start = try await edge.cache.lastChange()
            _ = try await edge.list()
            _ = try await edge.list()
            edge.upstream.answer { .list([2, 3]) }
            _ = try await edge.list()
            edge.upstream.answer { throw Unreachable() }
            _ = try await edge.list()
            let numbers = try await changes(edge.cache, after: start).map { change in
                switch change {
                case .posted(let comments): "+\(comments.map(\.id.number))"
                case .removed(let ids): "-\(ids.map(\.number))"
                }
            }
            #expect(numbers == ["+[1, 2]", "-[1]", "+[3]"])
        }
    }

    @Test func `a list that cannot be cached is no event`() async throws {
        try await TestedEdge.with {
            .list(Array(1...2_000))
        } _: { edge in
            let start = try await edge.cache.lastChange()
            try await edge.setWriting(works: false)
            _ = try await edge.list()
            #expect(try await changes(edge.cache, after: start) == [])
        }
    }
}
