import CommentsContract
import EdgeKit
import EdgeModel
import Foundation
import RPC
import RPCTestKit
import Testing

@testable import comments_service

/// Lists that need no request, because the upstream's events would have told of a change.
struct CurrentCommentsTests {
    private static let link = ["Link": #"<http://up.example/v1/comments/events>; rel="monitor""#]

    private static func event(_ name: String, _ data: String = "{}") -> UpstreamEvents.State {
        .event(ServerSentEvents.Event(name: name, data: Data(data.utf8), id: "1"))
    }

    private static func posted(_ image: Int) -> UpstreamEvents.State {
        event("posted", #"{"items":[{"image_id":"\#(UUID(number: image))","comment":{}}]}"#)
    }

    private static func removed(_ comment: Int) -> UpstreamEvents.State {
        event("removed", #"{"ids":["\#(UUID(number: comment))"]}"#)
    }

    private func withEdge(
        _ numbers: [Int] = [1, 2, 3], _ headers: [String: String] = link, isFollowed: Bool = true,
        _ body: (TestedEdge) async throws -> Void
    ) async throws {
        try await TestedEdge.with {
            .list(numbers, headers)
        } _: { edge in
            if isFollowed { edge.edge.note(.complete) }
            try await body(edge)
        }
    }

    @Test func `a list is fetched once, however often its pages are read`() async throws {
        try await withEdge { edge in
            for _ in 1...3 {
                let page = try await edge.list(limit: 2)
                #expect(page.numbers == [1, 2] && page.origin == .remote && page.savedAt == nil)
                #expect(try await edge.list(limit: 2, after: 2).numbers == [3])
            }
            #expect(edge.upstream.requests == [["Cache-Control": "no-cache"]])
        }
    }

    @Test(
        arguments: [([:], true), (link.merging(["Age": "1"]) { $1 }, true), (link, false)] as [([String: String], Bool)]
    )
    func `without events, or from a cache, each list is fetched`(
        headers: [String: String], isFollowed: Bool
    ) async throws {
        try await withEdge([1], headers, isFollowed: isFollowed) { edge in
            for _ in 1...3 { _ = try await edge.list() }
            #expect(edge.upstream.requests.count == 3)
            #expect(edge.upstream.requests.allSatisfy { ($0["Cache-Control"] != nil) == isFollowed })
        }
    }

    /// Whether the feed has the image, these events do not tell.
    @Test func `an empty list is always fetched`() async throws {
        try await withEdge([]) { edge async throws in
            for _ in 1...3 { #expect(try await edge.list().numbers == []) }
            #expect(edge.upstream.requests.count == 3)
        }
    }

    @Test func `a posted comment changes the list of its image only`() async throws {
        try await withEdge { edge in
            for image in 0...2 { _ = try await edge.list(image) }
            edge.edge.note(Self.posted(1))
            for image in 0...2 { _ = try await edge.list(image) }
            #expect(edge.upstream.requests.count == 4)
        }
    }

    @Test(arguments: [
        event("removed"), event("reset"), event("other"), event("posted"), event("posted", "x"), .restarted,
    ])
    func `after any other event each list is fetched again`(state: UpstreamEvents.State) async throws {
        try await withEdge { edge in
            for image in 0...2 { _ = try await edge.list(image) }
            edge.edge.note(state)
            for image in 0...2 { _ = try await edge.list(image) }
            #expect(edge.upstream.requests.count == 6)
        }
    }

    @Test func `what the upstream removes leaves this edge without a reader`() async throws {
        try await withEdge { edge in
            _ = try await edge.list()
            let mark = try await edge.cache.lastChange()
            edge.edge.note(Self.removed(2))
            let news = try await edge.edge.remote.broadcast.next(after: mark)
            #expect(news.content == .change(.removed([UUID(number: 2)])))
            edge.upstream.answer { throw Unreachable() }
            #expect(try await edge.list().numbers == [1, 3])
        }
    }

    @Test func `a fault is reported, and further removals are not affected`() async throws {
        try await withEdge { edge in
            _ = try await edge.list()
            let mark = try await edge.cache.lastChange()
            try await edge.store.write { try $0.execute(sql: "ALTER TABLE comment RENAME TO other") }
            edge.edge.note(Self.removed(1))
            await edge.log.wait { $0.contains("no such table") }
            try await edge.store.write { try $0.execute(sql: "ALTER TABLE other RENAME TO comment") }
            edge.edge.note(Self.removed(2))
            let news = try await edge.edge.remote.broadcast.next(after: mark)
            #expect(news.content == .change(.removed([UUID(number: 2)])))
        }
    }

    @Test func `while events may be missing the upstream is asked, and without it the cache`() async throws {
        try await withEdge { edge in
            _ = try await edge.list()
            edge.upstream.answer { throw Unreachable() }
            edge.edge.note(.lost)
            #expect(try await edge.list().origin == .cache)
            edge.edge.note(.complete)
            #expect(try await edge.list().origin == .remote)
        }
    }

    /// The cursor may be a comment that the upstream has and this cache has never had.
    @Test func `an unknown cursor is the upstream's to judge`() async throws {
        try await withEdge { edge in
            _ = try await edge.list()
            edge.upstream.answer { .list([1, 2, 3, 4, 5], Self.link) }
            #expect(try await edge.list(after: 4).numbers == [5])
        }
    }
}
