import EdgeKit
import EdgeModel
import Feed
import FeedContract
import Foundation
import NIOCore
import RPC
import RPCTestKit
import Testing

@testable import feed_service

/// Pages that need no request, because the upstream's events would have told of a change.
struct CurrentPagesTests {
    /// An upstream with pages of two items of a feed that a test changes.
    private final class Upstream: Sendable {
        let feed = Recorded<[Int]>()
        let requests = Recorded<(url: String, isFresh: Bool)>()
        private let headers: [(name: String, value: String)]

        /// The number of requests for pages of two items.
        var asked: Int { requests.all.count { $0.url.contains("limit=2") } }

        init(_ numbers: [Int], _ headers: [(name: String, value: String)]) {
            feed.add(numbers)
            self.headers = headers
        }

        func fetch(_ url: String, _ headers: [(name: String, value: String)]) -> UpstreamAnswer {
            requests.add((url, headers.contains { $0 == UpstreamAnswer.fromNoCache }))
            let numbers = feed.all.last ?? []
            let (limit, cursor) = FeedCursor.parse(url)
            let rest: ArraySlice<Int>
            switch cursor {
            case .start: rest = numbers[...]
            case .after(let id): rest = numbers.drop { $0 != id.number }.dropFirst()
            case .before(let id): rest = numbers.prefix { $0 != id.number }
            }
            let page = cursor.isDownward ? rest.prefix(limit) : rest.suffix(limit)
            let isLast = !cursor.isDownward || page.last == numbers.last || page.isEmpty
            let next = isLast ? [] : [(name: "Link", value: #"<x>; rel="next""#)]
            return .page(Array(page), self.headers + next)
        }
    }

    private static let monitored = [
        (name: "Link", value: #"<http://up.example/v1/feed/events>; rel="monitor""#), (name: "ETag", value: #""1""#),
    ]

    private func withEdge(
        _ numbers: [Int] = [4, 3, 2, 1], _ headers: [(name: String, value: String)] = monitored,
        isFollowed: Bool = true, _ body: (EdgeRig, Upstream) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let upstream = Upstream(numbers, headers)
            let rig = try EdgeRig(directory) { upstream.fetch($0, $1) }
            if isFollowed { rig.feed.note(.complete) }
            try await body(rig, upstream)
            #expect(rig.faults.all == [])
        }
    }

    private static func event(_ name: String, _ data: String = "{}") -> UpstreamEvents.State {
        .event(ServerSentEvents.Event(name: name, data: Data(data.utf8), id: "1"))
    }

    private static func published(_ number: Int) -> UpstreamEvents.State {
        event("published", String(decoding: UpstreamAnswer.page([number]).body, as: UTF8.self))
    }

    @Test func `what the upstream publishes is loaded without a reader`() async throws {
        try await withEdge { rig, upstream in
            _ = try await rig.load()
            let since = try await rig.cache.lastChange()
            upstream.feed.add([5, 4, 3, 2, 1])
            rig.feed.note(Self.published(5))
            await upstream.requests.wait(for: 2)
            #expect(try await rig.load().numbers == [5, 4, 3, 2, 1])
            #expect(try await rig.cache.news(after: since) != nil)
        }
    }

    private static let all: [FeedCursor] = [.start, .after(3), .after(1), .before(2)]

    /// The answer of a reader who asked before the event does not have the item.
    @Test func `what the upstream publishes while its feed is fetched is loaded without another reader`() async throws {
        try await withTemporaryDirectory { directory in
            let requests = Recorded<String>()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let rig = try EdgeRig(directory) { url, _ in
                requests.add(url)
                guard requests.all.count == 1 else { return .page([2, 1], Self.monitored) }
                for await _ in gate {}
                return .page([1], Self.monitored)
            }
            rig.feed.note(.complete)
            async let page = rig.load()
            await requests.wait(for: 1)
            rig.feed.note(Self.published(2))
            open.finish()
            #expect(try await page.numbers == [1])
            await requests.wait(for: 2)
            #expect(try await rig.load().numbers == [2, 1])
            #expect(requests.all.count == 2)
        }
    }

    @Test func `what the upstream removes leaves this edge without a reader`() async throws {
        let numbers = Array((1...LoadFeed.defaultLimit + 4).reversed())
        try await withEdge(numbers) { rig, upstream in
            // Beyond the first page, which is loaded after each event.
            _ = try await rig.load(4, at: .after(4))
            let mark = try await rig.cache.lastChange()
            upstream.feed.add(numbers.filter { $0 != 2 })
            rig.feed.note(Self.event("removed", #"{"ids":["\#(UUID(number: 2))"]}"#))
            let news = try await rig.feed.broadcast.next(after: mark)
            #expect(news.content == .change(.removed([UUID(number: 2)])))
            #expect(try await rig.feed.knownItem(UUID(number: 2)) == nil)
            #expect(try await rig.cache.numbers(4, at: .after(4)) == [3, 1])
        }
    }

    @Test func `a page is fetched once, however often it is read`() async throws {
        try await withEdge { rig, upstream in
            for cursor in Self.all {
                let first = try await rig.load(2, at: cursor)
                for _ in 1...3 { #expect(try await rig.load(2, at: cursor) == first) }
                #expect(first.origin == .remote && first.savedAt == nil)
            }
            #expect(upstream.requests.all.count == Self.all.count)
            #expect(upstream.requests.all.allSatisfy { $0.isFresh })
        }
    }

    @Test(
        arguments: [
            ([], true), (monitored + [("Age", "1")], true), (monitored, false),
        ] as [([(name: String, value: String)], Bool)])
    func `without events, or from a cache, each page is fetched`(
        headers: [(name: String, value: String)], isFollowed: Bool
    ) async throws {
        try await withEdge([2, 1], headers, isFollowed: isFollowed) { rig, upstream in
            for _ in 1...3 { _ = try await rig.load(2) }
            #expect(upstream.requests.all.map(\.isFresh) == [isFollowed, isFollowed, isFollowed])
        }
    }

    @Test func `new items change the pages at the top only`() async throws {
        try await withEdge { rig, upstream in
            for cursor in Self.all { _ = try await rig.load(2, at: cursor) }
            upstream.feed.add([5, 4, 3, 2, 1])
            rig.feed.note(Self.published(5))
            #expect(try await rig.load(2).numbers == [5, 4])
            #expect(try await rig.load(2, at: .before(2)).numbers == [4, 3])
            #expect(upstream.asked == Self.all.count + 2)
            #expect(try await rig.load(2, at: .after(3)).numbers == [2, 1])
            #expect(try await rig.load(2, at: .after(1)).numbers == [])
            #expect(upstream.asked == Self.all.count + 2)
        }
    }

    @Test func `an item that is published again has another place`() async throws {
        try await withEdge { rig, upstream async throws in
            #expect(try await rig.load(2, at: .after(3)).numbers == [2, 1])
            upstream.feed.add([3, 4, 2, 1])
            rig.feed.note(Self.published(3))
            #expect(try await rig.load(2, at: .after(3)).numbers == [4, 2])
        }
    }

    @Test(arguments: [event("removed"), event("reset"), event("other"), event("published"), .restarted])
    func `after any other event each page is fetched again`(state: UpstreamEvents.State) async throws {
        try await withEdge { rig, upstream in
            for cursor in Self.all { _ = try await rig.load(2, at: cursor) }
            rig.feed.note(state)
            for cursor in Self.all { _ = try await rig.load(2, at: cursor) }
            #expect(upstream.asked == 2 * Self.all.count)
        }
    }

    @Test func `a page that changes while it is fetched is fetched again`() async throws {
        try await withTemporaryDirectory { directory in
            let requests = Recorded<String>()
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let rig = try EdgeRig(directory) { url, _ in
                requests.add(url)
                for await _ in gate {}
                return .page([1], Self.monitored)
            }
            rig.feed.note(.complete)
            async let page = rig.load()
            await requests.wait(for: 1)
            rig.feed.note(Self.published(2))
            open.finish()
            _ = try await page
            for _ in 1...2 { _ = try await rig.load() }
            #expect(requests.all.count == 2)
        }
    }

    @Test func `while events may be missing the upstream is asked, and without it the cache`() async throws {
        try await withTemporaryDirectory { directory in
            let requests = Recorded<String>()
            let rig = try EdgeRig(directory) { url, _ in
                requests.add(url)
                if requests.all.count > 1 { throw URLError(.cannotConnectToHost) }
                return .page([1], Self.monitored)
            }
            rig.feed.note(.complete)
            #expect(try await rig.load().origin == .remote)
            rig.feed.note(.lost)
            #expect(try await rig.load().origin == .cache)
            rig.feed.note(.complete)
            #expect(try await rig.load().origin == .remote)
            #expect(requests.all.count == 2)
        }
    }

    /// The cache still has an earlier answer to the same request.
    @Test func `a page that cannot be cached is fetched again`() async throws {
        try await withEdge { rig, upstream in
            _ = try await rig.load(2)
            try await rig.store.write { try $0.execute(sql: "PRAGMA query_only = ON") }
            upstream.feed.add([5, 4, 3, 2, 1])
            rig.feed.note(Self.published(5))
            for _ in 1...2 {
                let page = try await rig.load(2)
                #expect(page.numbers == [5, 4] && page.notices == [.notKept])
            }
            #expect(upstream.asked == 3)
        }
    }

    @Test func `a page that is not cached any more is fetched again`() async throws {
        try await withEdge { rig, upstream in
            _ = try await rig.load(2)
            rig.clock.advance(FeedCachePolicy.lifetime)
            _ = try await rig.feed.dropExpired()
            #expect(try await rig.load(2).numbers == [4, 3])
            #expect(upstream.requests.all.count == 2)
        }
    }
}
