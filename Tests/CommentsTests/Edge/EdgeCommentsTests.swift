import Comments
import CommentsContract
import Foundation
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
    func `what the upstream has from a cache is as old as it says`(age: String, savedAt: TimeInterval?) async throws {
        try await TestedEdge.with {
            .list([1], ["Age": age])
        } _: { edge in
            let page = try await edge.list()
            #expect(page.savedAt == savedAt.map { moment($0) })
            edge.upstream.answer { throw Unreachable() }
            // No tier makes another's answer younger.
            #expect(try await edge.list().savedAt == moment(savedAt ?? 0))
        }
    }

    @Test func `comments that no author may write here are shown and kept beside the others`() async throws {
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

    @Test func `an image that the upstream does not know is not found, and what is kept stays`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            _ = try await edge.list()
            edge.upstream.answer { .status(404) }
            let error = await #expect(throws: RPCError.self) { try await edge.list() }
            #expect(error?.kind == .notFound)
            #expect(edge.edge.monitor.check.status == .serving)
            edge.upstream.answer { throw Unreachable() }
            #expect(try await edge.list().numbers == [1])
        }
    }

    // MARK: It does not

    static let failures: [(String, ScriptedUpstream.Script)] = [
        ("no connection", { throw Unreachable() }), ("500", { .status(500) }), ("401", { .status(401) }),
        ("304 unasked", { .status(304) }), ("no JSON", { .status(200, "<html>") }), ("nothing", { .status(204) }),
        ("one bad comment", { .status(200, #"{"items":[{"id":"7"}]}"#) }),
    ]

    @Test(arguments: failures.indices) func `then its last answer is served, with its age`(failure: Int) async throws {
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

    @Test(arguments: failures.indices) func `without an answer from earlier it is no connection`(failure: Int)
        async throws
    {
        try await TestedEdge.with(Self.failures[failure].1) { edge in
            for _ in 1...2 {
                let error = await #expect(throws: RPCError.self) { try await edge.list() }
                #expect(error?.kind == .connectivity)
            }
            #expect(edge.log.lines.count == 1)
            edge.upstream.answer { .list([1]) }
            // An absent upstream has a second to answer, which is not much on a busy machine.
            var page: ListedComments?
            while page == nil { page = try? await edge.list() }
            #expect(page?.origin == .remote)
            #expect(edge.edge.monitor.check.status == .serving)
            #expect(edge.log.lines.count == 2)
        }
    }

    @Test func `the last answer is served before the caller's time is over`() async throws {
        try await TestedEdge.with {
            .list([1])
        } _: { edge in
            _ = try await edge.list()
            edge.upstream.answer(silence)
            let page = try await edge.list(within: .milliseconds(40))
            #expect(page.numbers == [1])
            #expect(page.origin == .cache)
            // That the caller was in a hurry is no fault of the upstream.
            #expect(edge.edge.monitor.check.status == .serving)
            #expect(edge.log.lines == [])
        }
    }

    @Test func `the upstream has the caller's time for a first answer, and less where one is kept`() async throws {
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

    @Test func `whoever cancels is served nothing`() async throws {
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

    @Test func `a list that changes is paged from the comment where the reader stands`() async throws {
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

    @Test func `what never was a comment of the image is no cursor`() async throws {
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

    @Test func `while the upstream is away nobody knows what it has`() async throws {
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

    @Test func `an answer that still holds is not fetched again, and is as new as that`() async throws {
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

    @Test func `one that still holds in a cache is as old as it says`() async throws {
        try await TestedEdge.with {
            .list([1], ["ETag": "\"a\""])
        } _: { edge in
            _ = try await edge.list()
            edge.clock.advance(60)
            edge.upstream.answer { .status(304, "", ["Age": "20"]) }
            #expect(try await edge.list().savedAt == moment(40))
        }
    }

    @Test func `an answer that cannot be read any more is fetched whole`() async throws {
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

    @Test func `what cannot be kept is delivered, and says so`() async throws {
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
            #expect(edge.storeMonitor.check.status == .degraded)
            #expect(edge.edge.monitor.check.status == .serving)
            edge.upstream.answer { throw Unreachable() }
            #expect(try await edge.list().numbers == [1])

            try await edge.setWriting(works: true)
            edge.upstream.answer { .list([1, 2]) }
            #expect(try await edge.list().notices == nil)
            #expect(edge.storeMonitor.check.status == .serving)
        }
    }

    @Test func `without a store the upstream is served all the same`() async throws {
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

    @Test func `counts are those of what is kept, and nobody is asked`() async throws {
        try await TestedEdge.with {
            .list([1, 2])
        } _: { edge in
            _ = try await edge.list()
            let counts = try await edge.edge.counts(of: [UUID(number: 0), UUID(number: 9)])
            #expect(counts == [UUID(number: 0): 2])
            #expect(edge.upstream.requests.count == 1)
        }
    }

    // MARK: Many at once

    @Test(arguments: [1, 2, 50]) func `many who want the same are one request`(count: Int) async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        try await TestedEdge.with {
            for await _ in gate {}
            return .list([1])
        } _: { edge in
            try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 1...count { group.addTask { try await edge.list().numbers } }
                await edge.upstream.wait(requests: 1)
                open.finish()
                for try await numbers in group { #expect(numbers == [1]) }
            }
            // Who came after the answer asked once more.
            #expect(edge.upstream.requests.count <= count)
        }
    }
}
