import Foundation
import Testing

@testable import Feed

/// The rules of an edge at their limits.
@Suite struct FeedRulesTests {
    // MARK: Endpoint

    @Test(arguments: [
        ("http://up.example", "http://up.example/v1/feed"), ("http://up.example/", "http://up.example/v1/feed"),
        ("https://up.example:8443/api", "https://up.example:8443/api/v1/feed"),
        ("https://up.example/a/b//", "https://up.example/a/b/v1/feed"), ("http://[::1]:80/", "http://[::1]:80/v1/feed"),
    ])
    func `a base URL works with or without a path and a trailing slash`(base: String, url: String) throws {
        let endpoint = FeedEndpoint(try #require(URL(string: base)))
        #expect(endpoint.page(7, at: .start) == url + "?limit=7")
        let id = try #require(UUID(uuidString: "abcdefab-0000-4000-8000-000000000001"))
        #expect(endpoint.page(7, at: .after(id)) == url + "?limit=7&after_id=ABCDEFAB-0000-4000-8000-000000000001")
        #expect(endpoint.page(7, at: .before(id)) == url + "?limit=7&before_id=ABCDEFAB-0000-4000-8000-000000000001")
    }

    // MARK: Link

    @Test(arguments: [
        ([], FeedContinuation.unknown), ([""], .unknown), (["nonsense"], .unknown),
        ([#"<http://x/?a=1>; rel="next""#], .more), (["<x>; rel=next"], .more), (["<x>;rel=\"prev next\""], .more),
        (["<x>; REL=NEXT"], .more), ([#"<x>; rel="prev""#], .last), ([#"<x>; rel="prev", <y>; rel="next""#], .more),
        ([#"<x>; rel="prev""#, #"<y>; rel="next""#], .more), ([#"<a,b;rel=next>; rel="prev""#], .last),
        ([#"<x>; title="a, <y>; rel=next"; rel="first""#], .last), ([#"<x>; rel="prev"; rel="next""#], .last),
        ([#"</style.css>; rel="preload""#], .unknown), (["<x>; rel"], .unknown),
    ])
    func `links tell whether more follows`(links: [String], continuation: FeedContinuation) {
        #expect(FeedContinuation(links: links) == continuation)
    }

    // MARK: Age

    @Test(arguments: [(-1, true), (0, true), (604_799, true), (604_800, false), (604_801, false)])
    func `a cached item is valid for less than seven days`(age: Int, isValid: Bool) {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let savedAt = now.addingTimeInterval(TimeInterval(-age))
        #expect(FeedCachePolicy.isValid(savedAt: savedAt, at: now) == isValid)
    }

    // MARK: Limits

    @Test func `the default limits`() {
        #expect(FeedCachePolicy.budget == 67_108_864)
        #expect(FeedCachePolicy.pageBytes == 1_048_576)
        #expect(FeedCachePolicy.answerBytes == 6_000_000)
        #expect(FeedCachePolicy.overhead == 256)
    }

    // MARK: Alignment

    @Test(
        arguments: [
            ([], []), ([nil], []), ([1], [0]), ([1, 2, 3], [0, 1, 2]), ([1, nil, 3], [0, 2]), ([9, 1, 2], [1, 2]),
            ([5, 1], [1]), ([1, 9, 2, 3], [0, 2, 3]), ([3, 2, 1], [2]), ([4, 5, 1, 2], [2, 3]),
        ] as [([Int?], [Int])])
    func `the longest ordered subsequence stays in place`(depths: [Int?], indexes: [Int]) {
        #expect(FeedAlignment.inOrder(depths) == indexes)
    }

    @Test(
        arguments: [
            ([], [], true, [], []), ([9], [], true, [], []), ([], [8], true, [], []), ([8], [8, 7], false, [0], []),
            // One item of the run was removed, and one that follows the page is not concerned.
            ([7], [8, 7, 6], true, [0], [[0, 0]]),
            // The cursor is not an item: 7 may as well have been published again.
            ([7], [8, 7, 6], false, [], []),
            // 9 is new, 5 has moved, 7 was removed.
            ([9, 5, 8, 6], [8, 7, 6, 5], true, [2, 3], [[1, 3]]),
            ([6, 5], [8, 7, 6, 5], true, [0, 1], [[0, 0], [1, 0]]),
            ([6, 5], [8, 7, 6, 5], false, [], []),
        ] as [([Int], [Int], Bool, [Int], [[Int]])])
    func `a page keeps, moves or removes the items of a run`(
        page: [Int], run: [Int], isAfterItem: Bool, kept: [Int], removed: [[Int]]
    ) {
        let alignment = FeedAlignment(
            page: page.map(UUID.init(number:)), run: run.map(UUID.init(number:)), isAfterItem: isAfterItem)
        #expect(alignment.kept == Set(kept))
        #expect(alignment.removed.map { [$0.index, $0.next] } == removed)
    }

    @Test func `the rest of a page is compared with further runs`() {
        func ids(_ numbers: [Int]) -> [UUID] { numbers.map(UUID.init(number:)) }
        var alignment = FeedAlignment(page: ids([9, 7, 6, 4, 9_000]), run: ids([9]), isAfterItem: false)
        #expect(alignment.rest == 1..<5)
        // 5 was removed; 9 is kept already.
        alignment.add(ids([7, 9, 6, 5, 4, 3]))
        #expect(alignment.kept == [0, 1, 2, 3] && alignment.rest == 4..<5)
        #expect(alignment.removed.map { [$0.index, $0.next] } == [[4, 3]])
        alignment.add(ids([2, 1, 0, 9_000]))
        #expect(alignment.rest == 4..<5)
    }
}
