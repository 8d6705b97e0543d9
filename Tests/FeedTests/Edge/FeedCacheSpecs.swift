import Feed
import Foundation
import RPCTestKit
import Testing

@testable import feed_service

extension StoreFactory<any FeedCache> {
    /// Every cache there is.
    static let all = [
        StoreFactory("SQLite on disk") { SQLiteFeedCache(try SQLiteFeedCache.opening.open($0 + "/feed-edge.sqlite")) }
    ]
}

/// What every cache of an edge does. Pages are written as numbers: what the upstream had when they were fetched.
@Suite struct FeedCacheSpecs {
    typealias Factory = StoreFactory<any FeedCache>

    @Test(arguments: Factory.all) func `an empty cache knows nothing`(caches: Factory) async throws {
        try await caches.withStore { cache in
            for cursor in [FeedCursor.start, .after(1), .before(1)] {
                #expect(try await cache.page(10, at: cursor) == nil)
                #expect(try await cache.passed([UUID(number: 1)], at: cursor) == [])
            }
            #expect(try await cache.item(UUID(number: 1)) == nil)
            #expect(try await !cache.dropExpired(at: .distantFuture))
            try await cache.checkIntegrity()
        }
    }

    // MARK: One run

    @Test(arguments: Factory.all) func `pages follow one another`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start)
            try await cache.keep([6, 5], at: .after(7))
            #expect(try await cache.numbers(2, at: .start) == [9, 8])
            #expect(try await cache.numbers(2, at: .after(8)) == [7, 6])
            #expect(try await cache.numbers(2, at: .after(6)) == [5])
            #expect(try await cache.numbers(2, at: .after(5)) == nil)
            #expect(try await cache.numbers(2, at: .before(6)) == [8, 7])
            #expect(try await cache.numbers(2, at: .before(8)) == [9])
            // The head run begins where the feed does.
            #expect(try await cache.numbers(2, at: .before(9)) == [])
        }
    }

    @Test(arguments: Factory.all) func `an empty page is the end`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start)
            #expect(try await cache.page(2, at: .start)?.isLast == false)
            #expect(try await cache.keep([], at: .after(8))?.isLast == true)
            #expect(try await cache.numbers(2, at: .after(8)) == [])
            #expect(try await cache.page(2, at: .start)?.isLast == true)
            #expect(try await cache.page(1, at: .start)?.isLast == false)
        }
    }

    @Test(arguments: Factory.all) func `a page that says so is the end`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, .last)
            #expect(try await cache.numbers(2, at: .after(8)) == [])
            // It was not, after all.
            try await cache.keep([8], at: .after(9), .more)
            #expect(try await cache.numbers(2, at: .after(8)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `an empty feed is known to be empty, until it is not`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            for _ in 1...3 { try await cache.keep([], at: .start) }
            #expect(try await cache.numbers(10, at: .start) == [])
            try await cache.keep([1], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [1])
            #expect(try await cache.numbers(10, at: .after(1)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `a reload puts what is new on top`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3], at: .start)
            try await cache.keep([2, 1], at: .after(3))
            let kept = try await cache.keep([7, 6, 5], at: .start)
            #expect(kept?.new.map(\.number) == [7, 6])
            #expect(try await cache.numbers(10, at: .start) == [7, 6, 5, 4, 3, 2, 1])
            #expect(try await cache.numbers(10, at: .before(5)) == [7, 6])
        }
    }

    @Test(arguments: Factory.all, [1, 2, 5]) func `what has left the feed leaves the run, and marks its place`(
        caches: Factory, size: Int
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3], at: .start)
            // 8 and 6 are gone, at the top and within.
            try await cache.keep([7, 5], at: .after(9))
            #expect(try await cache.numbers(10, at: .start) == [9, 7, 5, 4, 3])
            #expect(try await cache.numbers(size, at: .after(8)) == Array([7, 5, 4, 3].prefix(size)))
            #expect(try await cache.numbers(10, at: .before(6)) == [9, 7])
            #expect(try await cache.item(UUID(number: 6)) == nil)
            // It comes back to where it stood.
            try await cache.keep([7, 6, 5], at: .after(9))
            #expect(try await cache.numbers(10, at: .start) == [9, 7, 6, 5, 4, 3])
        }
    }

    @Test(arguments: Factory.all) func `other content replaces what was kept`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([2, 1], at: .start)
            let kept = try await cache.keep(FetchedFeedPage([picture(2, "new"), picture(1)], at: .start))
            #expect(kept?.new == [])
            #expect(try await cache.item(UUID(number: 2)) == picture(2, "new"))
        }
    }

    @Test(arguments: Factory.all) func `what is newer comes before a cursor`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([3, 2, 1], at: .start)
            try await cache.keep([6, 5, 4], at: .before(3))
            #expect(try await cache.numbers(10, at: .start) == [6, 5, 4, 3, 2, 1])
            try await cache.keep([], at: .before(6))
            #expect(try await cache.numbers(10, at: .before(6)) == [])
            // Now 5 and 6 are gone.
            try await cache.keep([], at: .before(4))
            #expect(try await cache.numbers(10, at: .start) == [4, 3, 2, 1])
        }
    }

    // MARK: Several runs

    @Test(arguments: Factory.all) func `a first page that shares nothing is a new head run`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([3, 2], at: .start)
            try await cache.keep([], at: .after(2))
            try await cache.keep([9, 8], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [9, 8])
            #expect(try await cache.numbers(10, at: .after(8)) == nil)
            // Who stands in the older run goes on there.
            #expect(try await cache.numbers(10, at: .after(3)) == [2])
            #expect(try await cache.numbers(10, at: .after(2)) == [])
            // What is above it was not seen.
            #expect(try await cache.numbers(10, at: .before(3)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `runs that meet are joined`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([3, 2, 1], at: .start)
            try await cache.keep([], at: .after(1))
            try await cache.keep([9, 8], at: .start)
            try await cache.keep([7, 6], at: .after(8))
            try await cache.keep([5, 3], at: .after(6))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7, 6, 5, 3, 2, 1])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .before(3)) == [9, 8, 7, 6, 5])
        }
    }

    @Test(arguments: Factory.all) func `runs that meet from below are joined`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([3, 2], at: .start)
            try await cache.keep([9, 8, 7], at: .start)
            try await cache.keep([5, 4], at: .before(3))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7])
            try await cache.keep([8, 7, 6], at: .before(5))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7, 6, 5, 4, 3, 2])
        }
    }

    @Test(arguments: Factory.all) func `a cursor that was never seen begins a run`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start)
            try await cache.keep([4, 3], at: .after(5))
            #expect(try await cache.numbers(10, at: .after(5)) == [4, 3])
            try await cache.keep([7, 6], at: .before(5))
            #expect(try await cache.numbers(10, at: .before(5)) == [7, 6])
            // What it is itself, nobody has seen: it is not passed over.
            #expect(try await cache.numbers(10, at: .after(6)) == nil)
            #expect(try await cache.numbers(10, at: .before(4)) == nil)
            try await cache.keep([7, 6, 5, 4], at: .after(8))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7, 6, 5, 4, 3])
        }
    }

    @Test(arguments: Factory.all) func `a cursor that is seen later joins what lies on its sides`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3], at: .after(5))
            try await cache.keep([7, 6], at: .before(5))
            try await cache.keep([6, 5], at: .after(7))
            #expect(try await cache.numbers(10, at: .after(7)) == [6, 5, 4, 3])
            #expect(try await cache.numbers(10, at: .before(3)) == [7, 6, 5, 4])
        }
    }

    @Test(arguments: Factory.all) func `runs in whatever order they were begun are joined`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            // From the bottom up and from the top down, so that none lies where it belongs.
            for place in [20, 40, 10, 30, 50] {
                try await cache.keep([place - 1, place - 2, place - 3], at: .after(place))
            }
            try await cache.keep([60, 59], at: .start)
            var cursor = 59
            while cursor > 7 {
                let page = Array((max(cursor - 7, 7)..<cursor).reversed())
                try await cache.keep(page, at: .after(cursor))
                cursor = page.last ?? 0
            }
            #expect(try await cache.numbers(100, at: .start) == Array((7...60).reversed()))
            #expect(try await cache.numbers(100, at: .before(7)) == Array((8...60).reversed()))
        }
    }

    // MARK: Items that move

    @Test(arguments: Factory.all) func `an item that was published again stands on top only`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3, 2, 1], at: .start)
            try await cache.keep([3, 5], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [3, 5, 4, 2, 1])
            // A page of it alone does not tell what follows.
            try await cache.keep([1], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [1])
            #expect(try await cache.numbers(10, at: .after(1)) == nil)
            #expect(try await cache.numbers(10, at: .after(3)) == [5, 4, 2])
            try await cache.keep([3, 5], at: .after(1))
            #expect(try await cache.numbers(10, at: .start) == [1, 3, 5, 4, 2])
        }
    }

    @Test(arguments: Factory.all) func `a run is not read on over an item that another run has now`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3, 2, 1], at: .start)
            try await cache.keep([], at: .after(1))
            try await cache.keep([3], at: .after(9))
            #expect(try await cache.numbers(10, at: .start) == [5, 4])
            #expect(try await cache.page(10, at: .start)?.isLast == false)
            #expect(try await cache.numbers(10, at: .after(9)) == [3])
            #expect(try await cache.numbers(10, at: .after(2)) == [1])
            #expect(try await cache.page(10, at: .after(2))?.isLast == true)
            try await cache.keep([3, 2], at: .after(4))
            #expect(try await cache.numbers(10, at: .start) == [5, 4, 3, 2, 1])
        }
    }

    @Test(arguments: Factory.all) func `items that were removed from the top are not taken for moved ones`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4], at: .start)
            try await cache.keep([10, 7, 6], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [10, 7, 6, 5, 4])
            #expect(try await cache.numbers(10, at: .after(8)) == [7, 6, 5, 4])
        }
    }

    @Test(arguments: Factory.all, [1, 2, 3])
    func `what takes fewer changes is believed`(caches: Factory, removed: Int) async throws {
        // Of a page of two, two may have moved.
        let joins = removed <= 2
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3], at: .start)
            let left = [9, 8, 7, 6, 5, 4, 3].dropFirst(removed)
            try await cache.keep(Array(left.prefix(2)), at: .start)
            #expect(try await cache.numbers(10, at: .start) == Array(joins ? left : left.prefix(2)))
            // Either way who stands on what was there goes on.
            #expect(try await cache.numbers(1, at: .after(9)) == [joins ? left.first ?? 0 : 8])
        }
    }

    @Test(arguments: Factory.all) func `what turns up within a run has its place there`(caches: Factory) async throws {
        try await caches.withStore { cache in
            // More than there are positions between two items.
            try await cache.keep([900, 100], at: .start)
            for number in (101...400).reversed() {
                try await cache.keep([number, 100], at: .after(number == 400 ? 900 : number + 1))
            }
            #expect(try await cache.numbers(1_000, at: .start) == [900] + (100...400).reversed())
            #expect(try await cache.numbers(1_000, at: .before(100)) == [900] + (101...400).reversed())
        }
    }

    // MARK: What lies

    @Test(arguments: Factory.all) func `what the run holds before the cursor was passed`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3], at: .start)
            #expect(try await cache.passed([5, 2, 3, 4].map(UUID.init(number:)), at: .after(4)) == [UUID(number: 5)])
            #expect(try await cache.passed([5, 2, 3, 4].map(UUID.init(number:)), at: .before(4)) == [UUID(number: 3)])
            #expect(try await cache.passed([5, 4].map(UUID.init(number:)), at: .start) == [])
            // A page that has it all the same does not bring it twice.
            try await cache.keep([4, 2, 3, 5, 1], at: .after(3))
            #expect(try await cache.numbers(10, at: .start) == [5, 4, 3, 2, 1])
        }
    }

    @Test(arguments: Factory.all) func `where the upstream goes on otherwise, a few items have left`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6], at: .start)
            try await cache.keep([5, 4], at: .after(8))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 5, 4])
            #expect(try await cache.numbers(10, at: .after(7)) == [5, 4])
            #expect(try await cache.numbers(10, at: .before(6)) == [9, 8])
        }
    }

    @Test(arguments: Factory.all) func `where the upstream goes on otherwise, many items stay as they were`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5], at: .start)
            try await cache.keep([20, 21], at: .after(8))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 20, 21])
            // Who has scrolled to where it was goes on there.
            #expect(try await cache.numbers(10, at: .after(7)) == [6, 5])
            try await cache.keep([7, 6], at: .after(21))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 20, 21, 7, 6, 5])
        }
    }

    // MARK: Age

    @Test(arguments: Factory.all) func `a run is as old as its newest page`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, savedAt: 100)
            try await cache.keep([7], at: .after(8), savedAt: 200)
            try await cache.keep([5], at: .after(6), savedAt: 150)
            #expect(try await cache.page(1, at: .start)?.savedAt == Date(timeIntervalSince1970: 200))
            #expect(try await cache.page(1, at: .after(6))?.savedAt == Date(timeIntervalSince1970: 150))
        }
    }

    @Test(arguments: Factory.all) func `expired runs are dropped, valid ones stay`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, savedAt: 101)
            try await cache.keep([5], at: .after(6), savedAt: 100)
            #expect(try await !cache.dropExpired(at: Date(timeIntervalSince1970: 604_899)))
            #expect(try await cache.numbers(1, at: .after(6)) == [5])
            #expect(try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_900)))
            #expect(try await cache.numbers(1, at: .after(6)) == nil)
            #expect(try await cache.item(UUID(number: 5)) == nil)
            #expect(try await cache.numbers(10, at: .start) == [9, 8])
            #expect(try await !cache.dropExpired(at: Date(timeIntervalSince1970: 604_900)))
            #expect(try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_901)))
            #expect(try await cache.numbers(10, at: .start) == nil)
        }
    }

    @Test(arguments: Factory.all) func `everything survives a restart`(caches: Factory) async throws {
        try await caches.withReopening { reopen in
            let validators = PageValidators(etag: #""1""#, lastModified: nil)
            do {
                let cache = try reopen()
                try await cache.keep([9, 8, 7], at: .start)
                try await cache.keep([9, 7], at: .start, savedAt: 42, validators)
                try await cache.keep([], at: .after(7), savedAt: 43)
            }
            let cache = try reopen()
            #expect(try await cache.numbers(10, at: .start) == [9, 7])
            #expect(try await cache.numbers(10, at: .after(8)) == [7])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.page(10, at: .start)?.savedAt == Date(timeIntervalSince1970: 43))
            #expect(try await cache.answer(10, at: .start)?.validators == validators)
        }
    }

    // MARK: Answers

    @Test(arguments: Factory.all) func `an answer is known as long as all of it is there`(caches: Factory) async throws
    {
        try await caches.withStore { cache in
            let validators = try #require(PageValidators(etag: #""1""#, lastModified: "yesterday"))
            try await cache.keep([9, 8], at: .start, .more, validators)
            let answer = KnownAnswer(items: [picture(9), picture(8)], continuation: .more, validators: validators)
            #expect(try await cache.answer(10, at: .start) == answer)
            // Another size or cursor is another page.
            #expect(try await cache.answer(9, at: .start) == nil)
            #expect(try await cache.answer(10, at: .after(9)) == nil)
            _ = try await cache.keep(FetchedFeedPage([picture(8, "other")], at: .after(9)))
            #expect(try await cache.answer(10, at: .start) == nil)
            try await cache.keep([8], at: .after(9))
            #expect(try await cache.answer(10, at: .start) == answer)
            try await cache.keep([9], at: .start)
            #expect(try await cache.answer(10, at: .start) == nil)
        }
    }
}

extension FeedCache {
    @discardableResult
    func keep(
        _ numbers: [Int], at cursor: FeedCursor, _ continuation: FeedContinuation = .unknown, savedAt: Int = 0,
        _ validators: PageValidators? = nil
    ) async throws -> KeptFeedPage? {
        try await keep(
            FetchedFeedPage(
                items: numbers.map { picture($0) }, limit: 10, cursor: cursor,
                savedAt: Date(timeIntervalSince1970: TimeInterval(savedAt)), continuation: continuation,
                validators: validators))
    }

    /// Nil where nothing is known.
    func numbers(_ limit: Int, at cursor: FeedCursor) async throws -> [Int]? {
        try await page(limit, at: cursor)?.items.map(\.number)
    }
}

extension FetchedFeedPage {
    init(_ items: [FeedImage], at cursor: FeedCursor) {
        self.init(items: items, limit: 10, cursor: cursor, savedAt: Date(timeIntervalSince1970: 0))
    }
}
