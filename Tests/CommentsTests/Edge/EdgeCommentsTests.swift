import Comments
import CommentsContract
import EdgeKit
import Foundation
import NIOCore
import RPC
import RPCTestKit
import Testing
import Upstream

@testable import comments_service

@Suite struct EdgeCommentsTests {
    // MARK: The upstream answers

    @Test(arguments: [[], [1], [3, 1, 2]]) func `the upstream's comments are served in its order`(numbers: [Int])
        async throws
    {
        try await TestedEdge.with {
            .list(numbers)
        } _: { edge in
            let page = try await edge.list()
            #expect(page.numbers == numbers)
            #expect(page.origin == .remote)
            #expect(page.savedAt == nil)
            #expect(page.notices == nil)
            #expect(page.nextAfterID == nil)
            #expect(edge.log.lines == [])
        }
    }

    @Test(arguments: [("0", nil), ("1", -1), ("3600", -3_600)] as [(String, TimeInterval?)])
    func `an answer from the upstream's cache has the stated age`(age: String, savedAt: TimeInterval?) async throws {
        try await TestedEdge.with {
            .list([1], ["Age": age])
        } _: { edge in
            let page = try await edge.list()
            #expect(page.savedAt == savedAt.map { moment($0) })
            edge.upstream.answer { throw Unreachable() }
            // An edge does not reduce the age of its upstream's answer.
            #expect(try await edge.list().savedAt == moment(savedAt ?? 0))
        }
    }

    @Test func `comments that violate the limits of posting are served and cached`() async throws {
        let odd = [
            ("", ""), (String(repeating: "🏖", count: 2_001), "ana"), ("x", String(repeating: "ë", count: 65)),
            (" x\n", " "),
        ]
        let items = odd.enumerated().map { number, texts in
            """
            {"id":"\(UUID(number: number))","message":"\(texts.0.replacing("\n", with: "\\n"))",
            "created_at":"2026-03-01T12:00:00Z","author":{"username":"\(texts.1)"}}
            """
        }
        let body = #"{"items":[\#(items.joined(separator: ","))]}"#
        try await TestedEdge.with {
            .status(200, body)
        } _: { edge in
            let online = try await edge.list()
            #expect(online.items.map(\.message) == odd.map(\.0))
            #expect(online.items.map(\.author.username) == odd.map(\.1))
            edge.upstream.answer { throw Unreachable() }
            let offline = try await edge.list()
            #expect(offline.items == online.items && offline.origin == .cache)
        }
    }

    @Test func `a list of long comments is paged by bytes, online and offline`() async throws {
        let long = String(repeating: "x", count: 400_000)
        let items = (1...7).map { number in
            """
            {"id":"\(UUID(number: number))","message":"\(long)","created_at":"2026-03-01T12:00:00Z",
            "author":{"username":"ana"}}
            """
        }
        let body = #"{"items":[\#(items.joined(separator: ","))]}"#
        try await TestedEdge.with {
            .status(200, body)
        } _: { edge in
            for isOnline in [true, false] {
                if !isOnline { edge.upstream.answer { throw Unreachable() } }
                var (seen, cursor) = ([[Int]](), Int?.none)
                repeat {
                    let page = try await edge.list(after: cursor)
                    seen.append(page.numbers)
                    cursor = page.nextAfterID == nil ? nil : page.numbers.last
                } while cursor != nil
                #expect(seen == [[1, 2], [3, 4], [5, 6], [7]])
            }
        }
    }

    private static let problem = #"{"status":404,"kind":"not_found","detail":"the feed has no such item"}"#

    @Test func `an image that the upstream does not have is not_found, and its cached list is deleted`() async throws {
        try await TestedEdge.with {
            .list([1, 2])
        } _: { edge in
            _ = try await edge.list()
            let mark = try await edge.cache.lastChange()
            edge.upstream.answer { .status(404, Self.problem) }
            let error = await #expect(throws: RPCError.self) { try await edge.list() }
            #expect(error?.kind == .notFound)
            #expect(edge.edge.monitor.check.status == .serving)
            #expect(
                try await edge.cache.news(after: mark)?.content
                    == .change(.removed([UUID(number: 1), UUID(number: 2)])))
            edge.upstream.answer { throw Unreachable() }
            let later = await #expect(throws: RPCError.self) { try await edge.list() }
            #expect(later?.kind == .connectivity)
        }
    }

    /// Proxies answer so while a server restarts.
    @Test(arguments: ["", "404 page not found", "<html>"]) func `another 404 is a failure if a list is cached`(
        body: String
    ) async throws {
        try await TestedEdge.with {
            .status(404, body)
        } _: { edge in
            let error = await #expect(throws: RPCError.self) { try await edge.list() }
            #expect(error?.kind == .notFound)
            edge.upstream.answer { .list([1]) }
            _ = try await edge.list()
            edge.upstream.answer { .status(404, body) }
            let page = try await edge.list()
            #expect(page.numbers == [1] && page.origin == .cache)
        }
    }

    // MARK: The upstream does not answer

    static let failures: [(String, ScriptedUpstream.Script)] = [
        ("no connection", { throw Unreachable() }), ("500", { .status(500) }), ("401", { .status(401) }),
        ("304 unasked", { .status(304) }), ("no JSON", { .status(200, "<html>") }), ("nothing", { .status(204) }),
        ("one bad comment", { .status(200, #"{"items":[{"id":"7"}]}"#) }),
    ]

    @Test(arguments: failures.indices) func `after a failure the cached answer is served with its age`(failure: Int)
        async throws
    {
        try await TestedEdge.with {
            .list([1, 2])
        } _: { edge in
            _ = try await edge.list()
            edge.clock.advance(1_000_000)
            edge.upstream.answer(Self.failures[failure].1)
            let page = try await edge.list()
            #expect(page.numbers == [1, 2])
            #expect(page.origin == .cache)
            #expect(page.savedAt == moment(0))
            #expect(page.notices == nil)
            #expect(edge.edge.monitor.check.status == .degraded)
            #expect(edge.log.lines.count == 1)
        }
    }

    @Test(arguments: failures.indices) func `without a cached answer a failure is connectivity`(failure: Int)
        async throws
    {
        try await TestedEdge.with(Self.failures[failure].1) { edge in
            for _ in 1...2 {
                let error = await #expect(throws: RPCError.self) { try await edge.list() }
                #expect(error?.kind == .connectivity)
            }
            #expect(edge.log.lines.count == 1)
            edge.upstream.answer { .list([1]) }
            let page = try await edge.list()
            #expect(page.origin == .remote)
            #expect(edge.edge.monitor.check.status == .serving)
            #expect(edge.log.lines.count == 2)
        }
    }

    @Test func `the cached answer is served before the caller's deadline`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            _ = try await edge.list()
            edge.upstream.answer(silence)
            let timeout = Duration.milliseconds(1_300)
            async let late = edge.list(within: timeout)
            await edge.time.advance(by: TimeAmount(FetchBudget.time(of: timeout)), once: 1)
            let page = try await late
            #expect(page.numbers == [1])
            #expect(page.origin == .cache)
            // A short deadline of the caller is no failure of the upstream.
            #expect(edge.edge.monitor.check.status == .serving)
            #expect(edge.log.lines == [])
        }
    }

    @Test func `the upstream has less time when a cached answer exists`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            let (image, time) = (UUID(number: 0), Duration.seconds(30))
            let first = try await edge.edge.budget(of: image, within: time)
            #expect(first == time - FetchBudget.reserve)
            _ = try await edge.list()
            let later = try await edge.edge.budget(of: image, within: time)
            #expect(later == FetchBudget.most)
            let other = try await edge.edge.budget(of: UUID(number: 1), within: time)
            #expect(other == first)
        }
    }

    @Test func `a cancelled call does not fall back to the cache`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            _ = try await edge.list()
            edge.upstream.answer(silence)
            await withTaskGroup(of: Result<ListedComments, any Error>.self) { group in
                group.addTask {
                    do { return .success(try await edge.list()) } catch { return .failure(error) }
                }
                await edge.upstream.wait(requests: 2)
                group.cancelAll()
                for await outcome in group { #expect(throws: CancellationError.self) { try outcome.get() } }
            }
            #expect(edge.log.lines == [])
        }
    }

    // MARK: Paging

    @Test func `a list is served page by page`() async throws {
        try await TestedEdge.with {
            .list(Array(1...250))
        } _: { edge in
            for isUpstreamThere in [true, false] {
                if !isUpstreamThere { edge.upstream.answer { throw Unreachable() } }
                let first = try await edge.list()
                #expect(first.numbers == Array(1...100))
                #expect(first.nextAfterID == UUID(number: 100))
                let middle = try await edge.list(limit: 2, after: 100)
                #expect(middle.numbers == [101, 102])
                #expect(middle.nextAfterID == UUID(number: 102))
                let last = try await edge.list(after: 150)
                #expect(last.numbers == Array(151...250))
                #expect(last.nextAfterID == nil)
                #expect(try await edge.list(after: 250).numbers == [])
            }
        }
    }

    @Test func `a changing list is paged from the reader's cursor`() async throws {
        try await TestedEdge.with {
            .list([1, 2, 3])
        } _: { edge in
            #expect(try await edge.list(limit: 2).numbers == [1, 2])
            edge.upstream.answer { .list([0, 1, 2, 3, 4]) }
            #expect(try await edge.list(limit: 2, after: 2).numbers == [3, 4])
            edge.upstream.answer { .list([0, 1, 3, 4]) }
            let page = try await edge.list(limit: 1, after: 2)
            #expect(page.numbers == [3])
            #expect(page.origin == .remote)
            #expect(page.nextAfterID == UUID(number: 3))
        }
    }

    @Test func `an id that was never a comment of the image is an invalid cursor`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            for _ in 1...2 {
                await #expect(throws: CommentsStoreError.unknownCursor(UUID(number: 7))) {
                    try await edge.list(after: 7)
                }
            }
        }
    }

    @Test func `a cursor unknown to the cache is a connectivity error while the upstream is down`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            _ = try await edge.list()
            edge.upstream.answer { throw Unreachable() }
            let error = await #expect(throws: RPCError.self) { try await edge.list(after: 7) }
            #expect(error?.kind == .connectivity)
        }
    }

    // MARK: Conditional requests

    @Test func `a confirmed answer is not fetched again, and its time is updated`() async throws {
        try await TestedEdge.with {
            .list([1, 2], ["ETag": "\"a\"", "Last-Modified": "yesterday"])
        } _: { edge in
            _ = try await edge.list()
            edge.clock.advance(60)
            edge.upstream.answer { .status(304) }
            let page = try await edge.list(limit: 1, after: 1)
            #expect(page.numbers == [2])
            #expect(page.origin == .remote)
            #expect(page.savedAt == nil)
            #expect(edge.upstream.requests == [[:], ["If-None-Match": "\"a\"", "If-Modified-Since": "yesterday"]])
            edge.upstream.answer { throw Unreachable() }
            #expect(try await edge.list().savedAt == moment(60))
        }
    }

    @Test func `an answer confirmed by the upstream's cache has the stated age`() async throws {
        try await TestedEdge.with {
            .list([1], ["ETag": "\"a\""])
        } _: { edge in
            _ = try await edge.list()
            edge.clock.advance(60)
            edge.upstream.answer { .status(304, "", ["Age": "20"]) }
            #expect(try await edge.list().savedAt == moment(40))
        }
    }

    @Test func `an unreadable cached answer is fetched again`() async throws {
        try await TestedEdge.with {
            .list([1], ["ETag": "\"a\""])
        } _: { edge in
            _ = try await edge.list()
            try await edge.pool.write { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try db.execute(sql: "UPDATE comment SET message = NULL")
            }
            edge.upstream.answer {
                edge.upstream.requests.last?.isEmpty == true ? .list([1, 2]) : .status(304)
            }
            let page = try await edge.list()
            #expect(page.numbers == [1, 2])
            #expect(page.notices == nil)
            edge.upstream.answer { throw Unreachable() }
            #expect(try await edge.list().numbers == [1, 2])
        }
    }

    // MARK: The store fails

    @Test func `an answer that cannot be cached is served with a notice`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            _ = try await edge.list()
            try await edge.setWriting(works: false)
            edge.upstream.answer { .list(Array(1...1_000)) }
            for _ in 1...3 {
                let page = try await edge.list(limit: 2, after: 500)
                #expect(page.numbers == [501, 502])
                #expect(page.origin == .remote)
                #expect(page.notices == [.notKept])
            }
            #expect(edge.log.lines.count == 1)
            #expect(edge.store.check.status == .degraded)
            #expect(edge.edge.monitor.check.status == .serving)
            edge.upstream.answer { throw Unreachable() }
            #expect(try await edge.list().numbers == [1])

            try await edge.setWriting(works: true)
            edge.upstream.answer { .list([1, 2]) }
            #expect(try await edge.list().notices == nil)
            #expect(edge.store.check.status == .serving)
        }
    }

    @Test func `without a store the upstream's answers are served`() async throws {
        try await TestedEdge.with {
            .list([1, 2])
        } _: { tested in
            let edge = TestedEdge(tested.upstream, tested.pool, hasStore: false)
            let page = try await edge.list(limit: 1, after: 1)
            #expect(page.numbers == [2])
            #expect(page.notices == [.notKept])
            edge.upstream.answer { throw Unreachable() }
            let error = await #expect(throws: RPCError.self) { try await edge.list() }
            #expect(error?.kind == .connectivity)
        }
    }

    // MARK: Counting

    @Test func `counts come from the cache without an upstream request`() async throws {
        try await TestedEdge.with {
            .list([1, 2])
        } _: { edge in
            _ = try await edge.list()
            let counts = try await edge.edge.counts(of: [UUID(number: 0), UUID(number: 9)])
            #expect(counts == [UUID(number: 0): 2])
            #expect(edge.upstream.requests.count == 1)
        }
    }

    @Test func `lists of several images come from the cache without an upstream request`() async throws {
        try await TestedEdge.with {
            .list([1, 2])
        } _: { edge in
            _ = try await edge.list()
            edge.upstream.answer { .list([]) }
            _ = try await edge.list(1)
            let first = try await edge.edge.lists(of: [UUID(number: 1), UUID(number: 9), UUID(number: 0)])
            #expect(first.pages.map(\.imageID.number) == [1, 0])
            #expect(first.pages.map { $0.page.items.map(\.id.number) } == [[], [1, 2]])
            #expect(edge.upstream.requests.count == 2)
        }
    }

    // MARK: Concurrent requests

    @Test(arguments: [1, 2, 50]) func `concurrent requests for a list are one upstream request`(count: Int) async throws
    {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await TestedEdge.with {
            for await _ in gate {}
            return .list([1])
        } _: { edge in
            try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 1...count { group.addTask { try await edge.list().numbers } }
                await edge.edge.flights.wait(for: UUID(number: 0)) { $0 == count }
                open.finish()
                for try await numbers in group { #expect(numbers == [1]) }
            }
            #expect(edge.upstream.requests.count == 1)
        }
    }
}
