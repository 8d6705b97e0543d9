import Comments
import CommentsContract
import Foundation
import RPCTestKit
import Testing

@testable import comments_service

/// Lists of several pages on an edge.
@Suite struct ContinuedListsTests {
    private static let pages = 12
    private static let numbers = Array(1...10 * pages)

    /// Short pages: a page that takes seconds on a busy machine would come from the cache.
    private func page(_ edge: TestedEdge, after cursor: Int? = nil) async throws -> ListedComments {
        try await edge.list(limit: 10, after: cursor)
    }

    /// Reads all pages of a list.
    private func whole(_ edge: TestedEdge) async throws -> [ListedComments] {
        var (pages, cursor) = ([ListedComments](), Int?.none)
        repeat {
            let page = try await page(edge, after: cursor)
            pages.append(page)
            cursor = page.nextAfterID == nil ? nil : page.numbers.last
        } while cursor != nil
        return pages
    }

    @Test(arguments: [true, false])
    func `only the first and the last page of a list are requested from the upstream`(isCached: Bool) async throws {
        try await TestedEdge.with {
            .list(Self.numbers)
        } _: { edge in
            if !isCached { try await edge.setWriting(works: false) }
            let pages = try await whole(edge)
            #expect(pages.flatMap(\.numbers) == Self.numbers && pages.count == Self.pages)
            #expect(pages.allSatisfy { $0.origin == .remote && $0.notices == (isCached ? nil : [.notKept]) })
            #expect(edge.upstream.requests.count == 2)
        }
    }

    @Test(arguments: [
        (ContinuedLists.time - 1, 1), (ContinuedLists.time, 2), (ContinuedLists.time + 1, 2), (-1, 2),
    ])
    func `an answer serves further pages for a limited time`(time: TimeInterval, requests: Int) async throws {
        try await TestedEdge.with {
            .list(Self.numbers)
        } _: { edge in
            _ = try await page(edge)
            edge.clock.advance(time)
            #expect(try await page(edge, after: 10).numbers == Array(11...20))
            #expect(edge.upstream.requests.count == requests)
        }
    }

    @Test func `comments added during a walk are at its end`() async throws {
        try await TestedEdge.with {
            .list(Array(1...15))
        } _: { edge in
            let first = try await page(edge)
            #expect(first.numbers == Array(1...10))
            edge.upstream.answer { .list(Array(1...16)) }
            #expect(try await page(edge, after: 10).numbers == Array(11...16))
        }
    }

    @Test func `an unknown cursor causes an upstream request`() async throws {
        try await TestedEdge.with {
            .list(Self.numbers)
        } _: { edge in
            _ = try await page(edge)
            edge.upstream.answer { .list(Self.numbers.map { $0 + 2_000 }) }
            #expect(try await edge.list(limit: 1, after: 2_001).numbers == [2_002])
        }
    }

    @Test func `after an upstream failure further pages come from the cache`() async throws {
        try await TestedEdge.with {
            .list(Self.numbers)
        } _: { edge in
            _ = try await page(edge)
            edge.upstream.answer { throw Unreachable() }
            #expect(try await page(edge, after: 10).origin == .remote)
            #expect(try await page(edge).origin == .cache)
            #expect(try await page(edge, after: 10).origin == .cache)
        }
    }

    // MARK: Limits

    private func list(_ bytes: Int?, at time: TimeInterval = 0) -> ContinuedLists.List {
        let comments = bytes.map { bytes in
            [
                ImageComment(
                    id: UUID(), imageID: UUID(), message: String(repeating: "x", count: bytes - CommentPlace.bytes),
                    createdAt: moment(0), username: "")
            ]
        }
        return ContinuedLists.List(
            comments: comments, receipt: .init(savedAt: nil, isCached: comments == nil), answeredAt: moment(time))
    }

    @Test(arguments: [(ContinuedLists.maximumCount, true), (ContinuedLists.maximumCount + 1, false)])
    func `the number of lists is limited, and the oldest is evicted`(count: Int, hasFirst: Bool) {
        let lists = ContinuedLists()
        for number in 1...count { lists.begin(UUID(number: number), list(nil)) }
        #expect((lists.list(of: UUID(number: 1), now: moment(0)) != nil) == hasFirst)
        #expect(lists.list(of: UUID(number: 2), now: moment(0)) != nil)
    }

    @Test(arguments: [(0, [true, true]), (1, [false, true])])
    func `the size of uncached lists is limited, and the oldest is evicted`(surplus: Int, held: [Bool]) {
        let (lists, half) = (ContinuedLists(), ContinuedLists.maximumBytes / 2)
        lists.begin(UUID(number: 1), list(half))
        lists.begin(UUID(number: 2), list(half + surplus))
        #expect((1...2).map { lists.list(of: UUID(number: $0), now: moment(0)) != nil } == held)
    }

    @Test func `a list that the store has does not count`() {
        let lists = ContinuedLists()
        lists.begin(UUID(number: 1), list(nil))
        lists.begin(UUID(number: 2), list(ContinuedLists.maximumBytes))
        for number in 1...2 { #expect(lists.list(of: UUID(number: number), now: moment(0)) != nil) }
    }

    @Test func `a list over the limit is not stored`() {
        let lists = ContinuedLists()
        lists.begin(UUID(number: 1), list(ContinuedLists.maximumBytes + 1))
        #expect(lists.list(of: UUID(number: 1), now: moment(0)) == nil)
    }
}
