import EdgeModel
import Feed
import Foundation
import GRDB
import RPCTestKit
import SQLiteKit
import ServiceKit
import Testing

@testable import feed_service

extension StoreFactory<any FeedCache> {
    /// All caches.
    static let all = [
        StoreFactory("SQLite on disk") { SQLiteFeedCache(try SQLiteFeedCache.opening.open($0 + "/feed-edge.sqlite")) }
    ]
}

/// The specs of every cache. Pages are written as item numbers; each is the upstream's state at the time of the fetch.
@Suite struct FeedCacheSpecs {
    typealias Factory = StoreFactory<any FeedCache>

    @Test(arguments: Factory.all) func `an empty cache has no pages`(caches: Factory) async throws {
        try await caches.withStore { cache in
            for cursor in [FeedCursor.start, .after(1), .before(1)] {
                #expect(try await cache.numbers(10, at: cursor) == nil)
                #expect(try await cache.passed([UUID(number: 1)], at: cursor) == [])
            }
            #expect(try await cache.item(UUID(number: 1)) == nil)
            #expect(try await cache.dropExpired(at: .distantFuture) == [])
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `the items of all runs are counted, cursors and removed items are not`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            #expect(try await cache.count() == 0)
            try await cache.keep([9, 8, 7], at: .start)
            try await cache.keep([3, 2], at: .after(4))
            #expect(try await cache.count() == 5)
            // 8 was removed.
            try await cache.keep([9, 7], at: .start)
            #expect(try await cache.count() == 4)
        }
    }

    // MARK: One run

    @Test(arguments: Factory.all) func `consecutive pages form a run`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start)
            try await cache.keep([6, 5], at: .after(7))
            #expect(try await cache.numbers(2, at: .start) == [9, 8])
            #expect(try await cache.numbers(2, at: .after(8)) == [7, 6])
            #expect(try await cache.numbers(2, at: .after(6)) == [5])
            #expect(try await cache.numbers(2, at: .after(5)) == nil)
            #expect(try await cache.numbers(2, at: .before(6)) == [8, 7])
            #expect(try await cache.numbers(2, at: .before(8)) == [9])
            // The first run begins at the beginning of the feed.
            #expect(try await cache.numbers(2, at: .before(9)) == [])
        }
    }

    @Test(arguments: Factory.all) func `hints are read as they were fetched, and replaced`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            for items in [[picture(9).with(.full), picture(8)], [picture(9), picture(8).with(.sized)]] {
                _ = try await cache.keep(
                    FetchedFeedPage(items: items, limit: 10, cursor: .start, savedAt: Date(timeIntervalSince1970: 0)))
                #expect(try await cache.page(2, at: .start)?.items == items)
                #expect(try await cache.item(picture(9).id)?.image == items[0])
            }
        }
    }

    @Test(arguments: Factory.all) func `dates are read as they were fetched, and replaced`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            for items in [
                [picture(9).published, picture(8)], [picture(9), picture(8).published(at: .publication + 1)],
                [picture(9).published(at: Date(timeIntervalSince1970: -1)), picture(8).published],
            ] {
                _ = try await cache.keep(FetchedFeedPage(items, at: .start))
                #expect(try await cache.page(2, at: .start)?.items == items)
                #expect(try await cache.item(picture(9).id)?.image == items[0])
            }
        }
    }

    @Test(arguments: Factory.all) func `tags are read as they were fetched, and replaced`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            for items in [
                [picture(9, tags: ["Sea", "sun"]), picture(8)], [picture(9, tags: ["sun", "sea"]), picture(8)],
                [picture(9), picture(8, tags: (1...30).map { String(repeating: "\($0)", count: 100) })],
            ] {
                _ = try await cache.keep(FetchedFeedPage(items, at: .start))
                #expect(try await cache.page(2, at: .start)?.items == items)
                #expect(try await cache.item(picture(9).id)?.image == items[0])
            }
        }
    }

    @Test(arguments: Factory.all) func `an answer is not known when the tags of an item have changed`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            let validators = AnswerValidators(etag: #""1""#, lastModified: nil)
            let items = [picture(9, tags: ["sea"])]
            _ = try await cache.keep(
                FetchedFeedPage(
                    items: items, limit: 10, cursor: .start, savedAt: Date(timeIntervalSince1970: 0),
                    validators: validators))
            #expect(try await cache.answer(10, at: .start)?.items == items)
            for tags in [[], ["Sea"], ["sea", "sun"]] {
                _ = try await cache.keep(FetchedFeedPage([picture(9, tags: tags)], at: .after(5)))
                #expect(try await cache.answer(10, at: .start) == nil)
            }
        }
    }

    // MARK: Removals that events tell of

    /// What a cache of [9, 8, 7, 6] has after one of them was removed.
    @Test(
        arguments: Factory.all,
        [
            (removed: 9, items: [8, 7, 6], beyond: [8, 7, 6], above: []), (8, [9, 7, 6], [7, 6], [9]),
            // Nothing leads to the place of an item behind which nothing was.
            (6, [9, 8, 7], [], nil),
        ] as [(removed: Int, items: [Int], beyond: [Int], above: [Int]?)])
    func `a removed item leaves its run, and remains a cursor`(
        caches: Factory, removal: (removed: Int, items: [Int], beyond: [Int], above: [Int]?)
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6], at: .start, .last)
            let id = UUID(number: removal.removed)
            #expect(try await cache.remove([id, UUID(number: 1)], at: Date(timeIntervalSince1970: 0)) == [id])
            #expect(try await cache.numbers(10, at: .start) == removal.items)
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .after(removal.removed)) == removal.beyond)
            #expect(try await cache.numbers(10, at: .before(removal.removed)) == removal.above)
            #expect(try await cache.item(id) == nil)
            #expect(try await cache.count() == 3)
            try await cache.checkIntegrity()
            #expect(try await cache.remove([id], at: Date(timeIntervalSince1970: 9)) == [])
        }
    }

    @Test(arguments: Factory.all) func `nothing is known to follow the last item of a run, also when that was removed`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start)
            _ = try await cache.remove([UUID(number: 8)], at: Date(timeIntervalSince1970: 0))
            #expect(try await cache.numbers(10, at: .start) == [9])
            for cursor in [FeedCursor.after(9), .after(8)] { #expect(try await cache.numbers(10, at: cursor) == nil) }
            try await cache.keep([7, 6], at: .after(8), .last)
            #expect(try await cache.numbers(10, at: .after(8)) == [7, 6])
            try await cache.keep([9, 7], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [9, 7, 6])
        }
    }

    @Test(arguments: Factory.all) func `an item that was shown since its removal stays, or returns`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start, savedAt: 10)
            #expect(try await cache.remove([UUID(number: 8)], at: Date(timeIntervalSince1970: 9)) == [])
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7])
            #expect(try await cache.remove([UUID(number: 8)], at: Date(timeIntervalSince1970: 10)).count == 1)
            let change = try await cache.keep([8, 9, 7], at: .start, savedAt: 11)
            #expect(change?.new.map(\.number) == [8])
            #expect(try await cache.numbers(10, at: .start) == [8, 9, 7])
        }
    }

    @Test(arguments: Factory.all) func `an answer with a removed item is not known any more`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, .unknown, AnswerValidators(etag: #""1""#))
            #expect(try await cache.answer(10, at: .start) != nil)
            _ = try await cache.remove([UUID(number: 8)], at: Date(timeIntervalSince1970: 0))
            #expect(try await cache.answer(10, at: .start) == nil)
        }
    }

    // MARK: The end

    @Test(arguments: Factory.all) func `an empty page marks the end`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start)
            #expect(try await cache.page(2, at: .start)?.isLast == false)
            #expect(try await cache.keep([], at: .after(8))?.isLast == true)
            #expect(try await cache.numbers(2, at: .after(8)) == [])
            #expect(try await cache.page(2, at: .start)?.isLast == true)
            #expect(try await cache.page(1, at: .start)?.isLast == false)
        }
    }

    @Test(arguments: Factory.all) func `a page known to be the last marks the end`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, .last)
            #expect(try await cache.numbers(2, at: .after(8)) == [])
            // Items were added after the end.
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

    @Test(arguments: Factory.all) func `a reload adds new items at the top`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3], at: .start)
            try await cache.keep([2, 1], at: .after(3))
            let kept = try await cache.keep([7, 6, 5], at: .start)
            #expect(kept?.new.map(\.number) == [7, 6])
            #expect(try await cache.numbers(10, at: .start) == [7, 6, 5, 4, 3, 2, 1])
            #expect(try await cache.numbers(10, at: .before(5)) == [7, 6])
        }
    }

    @Test(arguments: Factory.all, [1, 2, 5])
    func `an item removed from the feed leaves the run and remains a valid cursor`(
        caches: Factory, size: Int
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3], at: .start)
            // 8 and 6 were removed: one from the top, one from within.
            try await cache.keep([7, 5], at: .after(9))
            #expect(try await cache.numbers(10, at: .start) == [9, 7, 5, 4, 3])
            #expect(try await cache.numbers(size, at: .after(8)) == Array([7, 5, 4, 3].prefix(size)))
            #expect(try await cache.numbers(10, at: .before(6)) == [9, 7])
            #expect(try await cache.item(UUID(number: 6)) == nil)
            // 6 is back at its former place.
            try await cache.keep([7, 6, 5], at: .after(9))
            #expect(try await cache.numbers(10, at: .start) == [9, 7, 6, 5, 4, 3])
        }
    }

    @Test(arguments: Factory.all) func `new content replaces the cached content`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([2, 1], at: .start)
            let kept = try await cache.keep(FetchedFeedPage([picture(2, "new"), picture(1)], at: .start))
            #expect(kept.new == [])
            #expect(kept.found == [picture(2, "new")])
            #expect(try await cache.item(UUID(number: 2))?.image == picture(2, "new"))
        }
    }

    @Test(arguments: Factory.all) func `newer items are served before a cursor`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([3, 2, 1], at: .start)
            try await cache.keep([6, 5, 4], at: .before(3))
            #expect(try await cache.numbers(10, at: .start) == [6, 5, 4, 3, 2, 1])
            try await cache.keep([], at: .before(6))
            #expect(try await cache.numbers(10, at: .before(6)) == [])
            // Either 6 and 5 were removed, or 4 was published again.
            try await cache.keep([], at: .before(4))
            #expect(try await cache.numbers(10, at: .start) == [4])
            #expect(try await cache.numbers(10, at: .after(4)) == nil)
            #expect(try await cache.numbers(10, at: .after(3)) == [2, 1])
            try await cache.keep([4, 3], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [4, 3, 2, 1])
        }
    }

    // MARK: Several runs

    @Test(arguments: Factory.all) func `a first page without known items begins a new run`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([3, 2], at: .start)
            try await cache.keep([], at: .after(2))
            try await cache.keep([9, 8], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [9, 8])
            #expect(try await cache.numbers(10, at: .after(8)) == nil)
            // A reader in the older run can continue there.
            #expect(try await cache.numbers(10, at: .after(3)) == [2])
            #expect(try await cache.numbers(10, at: .after(2)) == [])
            // The items newer than 3 are unknown.
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

    @Test(arguments: Factory.all) func `runs that meet are joined, although items were removed there`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([7, 6, 5, 4], at: .start, .last)
            try await cache.keep([9], at: .start)
            let kept = try await cache.keep([8, 7, 5], at: .after(9))
            #expect(kept?.removed == [UUID(number: 6)])
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7, 5, 4])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .after(6)) == [5, 4])
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `a page of several runs joins them`(caches: Factory) async throws {
        try await caches.withStore { cache in
            for page in [[4, 3, 2, 1], [8, 7, 6], [9]] { try await cache.keep(page, at: .start) }
            try await cache.keep([8, 6, 5, 4, 2], at: .after(9))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 6, 5, 4, 2, 1])
        }
    }

    @Test(arguments: Factory.all) func `items around an unknown cursor were not removed`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 6, 5], at: .start, savedAt: 1)
            #expect(try await cache.keep([6, 5], at: .after(7), savedAt: 2)?.removed == [])
            #expect(try await cache.numbers(10, at: .start) == [9, 8])
            #expect(try await cache.numbers(10, at: .after(7)) == [6, 5])
        }
    }

    @Test(arguments: Factory.all) func `an answer that is older than an item does not remove it`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6], at: .start, savedAt: 2)
            #expect(try await cache.keep([8, 7, 6], at: .start, savedAt: 1)?.removed == [])
            #expect(try await cache.keep([], at: .after(8), savedAt: 1)?.removed == [])
            #expect(try await cache.count() == 4)
            try await cache.keep([9, 8, 7], at: .start, savedAt: 2)
            #expect(try await cache.keep([9, 7], at: .start, savedAt: 2)?.removed == [UUID(number: 8)])
        }
    }

    @Test(arguments: Factory.all, [1, 2, 3])
    func `an item is removed whose neighbour was published again before`(caches: Factory, limit: Int) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3, 2, 1], at: .start)
            // 7 was published again, and 6 was removed.
            let feed = [7, 9, 8, 5, 4, 3, 2, 1]
            var (cursor, removed) = (FeedCursor.start, [UUID]())
            for page in stride(from: 0, to: feed.count, by: limit).map({ Array(feed[$0...].prefix(limit)) }) {
                removed += try await cache.keep(page, at: cursor, limit: limit)?.removed ?? []
                cursor = .after(page.last ?? 0)
            }
            #expect(removed == [UUID(number: 6)])
            #expect(try await cache.numbers(10, at: .start) == feed)
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `items are removed whose neighbours on both sides were published again before`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3], at: .start)
            // 7 and 4 were published again, so nothing precedes or follows 6 and 5.
            #expect(try await cache.keep([4, 7], at: .start, limit: 2)?.removed == [])
            #expect(try await cache.numbers(10, at: .start) == [4, 7])
            #expect(try await cache.count() == 7)
            // Then 6 and 5 were removed.
            let removed = try await cache.keep([4, 7, 9, 8, 3], at: .start)?.removed ?? []
            #expect(Set(removed) == [UUID(number: 6), UUID(number: 5)])
            #expect(try await cache.numbers(10, at: .start) == [4, 7, 9, 8, 3])
            #expect(try await cache.count() == 5)
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `an item is removed behind which two were published again, one after the other`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            let feed = Array((1...30).reversed())
            for start in [0, 10, 20] {
                let cursor = start == 0 ? FeedCursor.start : .after(feed[start - 1])
                try await cache.keep(Array(feed[start..<start + 10]), at: cursor)
            }
            try await cache.keep([14], at: .start, limit: 1)
            try await cache.keep([13], at: .start, limit: 1)
            try await cache.keep([13, 14] + feed.prefix(8), at: .start)
            let removed = try await cache.keep([22, 21, 20, 19, 18, 17, 16, 12, 11, 10], at: .after(23))?.removed
            #expect(removed == [UUID(number: 15)])
            #expect(try await cache.count() == 29)
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all)
    func `a gap that an item has left is not served, and forgotten when items follow there`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5], at: .start)
            try await cache.keep([7], at: .start, limit: 1)
            #expect(try await cache.numbers(10, at: .after(9)) == [8])
            // The items behind the gap are still there.
            #expect(try await cache.keep([6, 5], at: .after(8))?.removed == [])
            #expect(try await cache.numbers(10, at: .after(9)) == [8, 6, 5])
            // What is read in the place of the gap later does not remove what was behind it once.
            #expect(try await cache.keep([6, 5, 4], at: .after(8))?.removed == [])
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `an item from before the clock was set back is removed`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start, savedAt: 1_000, receivedAt: 1_000)
            #expect(
                try await cache.keep([9, 7], at: .start, savedAt: 10, receivedAt: 11)?.removed == [UUID(number: 8)])
            #expect(try await cache.numbers(10, at: .start) == [9, 7])
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

    @Test(arguments: Factory.all) func `an unknown cursor begins a run`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start)
            try await cache.keep([4, 3], at: .after(5))
            #expect(try await cache.numbers(10, at: .after(5)) == [4, 3])
            try await cache.keep([7, 6], at: .before(5))
            #expect(try await cache.numbers(10, at: .before(5)) == [7, 6])
            // The cursor's own content is unknown, so pages do not skip it.
            #expect(try await cache.numbers(10, at: .after(6)) == nil)
            #expect(try await cache.numbers(10, at: .before(4)) == nil)
            try await cache.keep([7, 6, 5, 4], at: .after(8))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7, 6, 5, 4, 3])
        }
    }

    @Test(arguments: Factory.all) func `a cursor that is shown later joins the runs on both sides`(
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
            // Bottom up and top down, so that no run is created in its final order.
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

    /// The cache does not look for the beginning of a run further away than `CacheLinks.longestWalk`.
    @Test(arguments: Factory.all) func `a very long run is joined to others, but not to itself`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            let (top, bottom) = (CacheLinks.longestWalk + 1_000, 1_000)
            func after(_ number: Int) async throws -> [Int]? { try await cache.numbers(3, at: .after(number)) }
            try await cache.keep([3, 2], at: .after(4))
            try await cache.keep((bottom...top).reversed(), at: .after(top + 1), limit: top)
            // At its end its beginning is not known: a short run is another one, a long one may be the same.
            try await cache.keep([4, 3], at: .after(bottom))
            #expect(try await after(bottom) == [4, 3, 2])
            try await cache.keep([top, top - 1], at: .after(2))
            #expect(try await after(2) == [top, top - 1])
            try await cache.checkIntegrity()
            // From a run whose beginning is known.
            try await cache.keep([20_002, 20_001], at: .start)
            try await cache.keep([top - 2, top - 3], at: .after(20_001))
            #expect(try await after(20_002) == [20_001, top - 2, top - 3])
            #expect(try await after(top - 2) == [top - 3, top - 4, top - 5])
            try await cache.checkIntegrity()
        }
    }

    // MARK: Items that move

    @Test(arguments: Factory.all) func `an item that was published again is at the top only`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3, 2, 1], at: .start)
            try await cache.keep([3, 5], at: .start)
            // Its former neighbours may be next to each other now, but no answer says so.
            #expect(try await cache.numbers(10, at: .start) == [3, 5, 4])
            #expect(try await cache.numbers(10, at: .after(4)) == nil)
            #expect(try await cache.numbers(10, at: .after(2)) == [1])
            try await cache.keep([2, 1], at: .after(4))
            #expect(try await cache.numbers(10, at: .start) == [3, 5, 4, 2, 1])
            // A page with only this item does not say what follows it.
            try await cache.keep([1], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [1])
            #expect(try await cache.numbers(10, at: .after(1)) == nil)
            #expect(try await cache.numbers(10, at: .after(3)) == [5, 4, 2])
            try await cache.keep([3, 5], at: .after(1))
            #expect(try await cache.numbers(10, at: .start) == [1, 3, 5, 4, 2])
        }
    }

    @Test(arguments: Factory.all) func `a run ends before an item that has moved to another run`(
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

    @Test(arguments: Factory.all) func `items removed from the top are not mistaken for moved ones`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4], at: .start)
            try await cache.keep([10, 7, 6, 5], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [10, 7, 6, 5, 4])
            #expect(try await cache.numbers(10, at: .after(8)) == [7, 6, 5, 4])
        }
    }

    @Test(arguments: Factory.all, [1, 2, 3])
    func `the explanation with fewer changes wins, and on a tie nothing is removed`(
        caches: Factory, removed: Int
    ) async throws {
        // The two items of the page were published again, or those above them were removed.
        let joins = removed < 2
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3], at: .start)
            let left = [9, 8, 7, 6, 5, 4, 3].dropFirst(removed)
            try await cache.keep(Array(left.prefix(2)), at: .start)
            #expect(try await cache.numbers(10, at: .start) == Array(joins ? left : left.prefix(2)))
            // Readers further up can continue.
            #expect(
                try await cache.numbers(1, at: .after(9)) == (joins ? [8] : removed == 1 ? nil : [8]))
        }
    }

    @Test(arguments: Factory.all) func `a new item within a run is inserted there`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([900, 100], at: .start)
            for (time, number) in (101...400).reversed().enumerated() {
                try await cache.keep([number, 100], at: .after(number == 400 ? 900 : number + 1), savedAt: time)
                // The first page is read repeatedly: its items have not moved.
                try await cache.keep([number], at: .after(number == 400 ? 900 : number + 1), savedAt: time + 1)
            }
            #expect(try await cache.numbers(1_000, at: .start) == [900] + (100...400).reversed())
            #expect(try await cache.numbers(1_000, at: .before(100)) == [900] + (101...400).reversed())
        }
    }

    // MARK: Contradictions

    @Test(arguments: Factory.all) func `items before the cursor in its run were passed`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3], at: .start)
            #expect(try await cache.passed([5, 2, 3, 4].map(UUID.init(number:)), at: .after(4)) == [UUID(number: 5)])
            #expect(try await cache.passed([5, 2, 3, 4].map(UUID.init(number:)), at: .before(4)) == [UUID(number: 3)])
            #expect(try await cache.passed([5, 4].map(UUID.init(number:)), at: .start) == [])
        }
    }

    @Test(arguments: Factory.all) func `an item with a new successor may have moved itself`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            // 4 3 2 1 became 3 5 4 2 1.
            try await cache.keep([4, 3, 2, 1], at: .start, .last)
            try await cache.keep([5], at: .after(3), .more)
            #expect(try await cache.numbers(10, at: .start) == [4])
            #expect(try await cache.numbers(10, at: .after(4)) == nil)
            #expect(try await cache.numbers(10, at: .after(3)) == [5])
            #expect(try await cache.numbers(10, at: .after(5)) == nil)
            // A reader further down can continue.
            #expect(try await cache.numbers(10, at: .after(2)) == [1])
            try await cache.keep([3, 5, 4, 2], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [3, 5, 4, 2, 1])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
        }
    }

    @Test(arguments: Factory.all) func `an item before a new one may have moved itself`(caches: Factory) async throws {
        try await caches.withStore { cache in
            // 4 3 2 1 became 3 5 2 4 1.
            try await cache.keep([4, 3, 2, 1], at: .start)
            try await cache.keep([5, 2], at: .after(3))
            #expect(try await cache.numbers(10, at: .start) == [4])
            #expect(try await cache.numbers(10, at: .after(4)) == nil)
            #expect(try await cache.numbers(10, at: .after(3)) == [5, 2, 1])
        }
    }

    @Test(arguments: Factory.all) func `an item that was shown recently has not moved`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6], at: .start, savedAt: 1)
            try await cache.keep([9, 8], at: .start, savedAt: 2)
            try await cache.keep([5, 4], at: .after(8), savedAt: 2)
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 5, 4])
            // The former neighbours remain as a separate run.
            #expect(try await cache.numbers(10, at: .after(7)) == [6])
            #expect(try await cache.numbers(10, at: .before(6)) == [7])
            try await cache.keep([7, 6], at: .after(4), savedAt: 3)
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 5, 4, 7, 6])
        }
    }

    @Test(arguments: Factory.all) func `a page before the first item is above it only if all its items are new`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3, 2, 1], at: .start, .last)
            // Either 1 was published again, or the upstream ignores `before_id`, and all others were removed.
            try await cache.keep([1], at: .before(4))
            #expect(try await cache.numbers(10, at: .start) == [4, 3, 2, 1])
            try await cache.keep([6, 5], at: .before(4))
            #expect(try await cache.numbers(10, at: .start) == [6, 5, 4, 3, 2, 1])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .before(4)) == [6, 5])
        }
    }

    @Test(arguments: Factory.all) func `an item from further up that reappears is now below the cursor`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            // 9 8 7 6 became 7 5 8 9 6; the first page was not read again.
            try await cache.keep([9, 8, 7, 6], at: .start)
            try await cache.keep([5, 8], at: .after(7))
            #expect(try await cache.numbers(10, at: .start) == [9])
            #expect(try await cache.numbers(10, at: .after(7)) == [5, 8])
        }
    }

    @Test(arguments: Factory.all) func `a cursor followed by the feed's first item is now the first item`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3, 2, 1], at: .start, .last)
            // 2 was published again.
            try await cache.keep([4, 3, 1], at: .after(2), .last)
            #expect(try await cache.numbers(10, at: .start) == [2, 4, 3, 1])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .after(2)) == [4, 3, 1])
            // With a new item in between.
            try await cache.keep([5, 2, 4], at: .after(3), .more)
            #expect(try await cache.numbers(10, at: .start) == [3, 5, 2, 4])
        }
    }

    @Test(arguments: Factory.all) func `the neighbours of a removed item may have moved`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3, 2, 1], at: .start, .last)
            try await cache.keep([4, 2], at: .start, .last)
            // 4 and 2 were published again, so nothing follows the place of 3.
            try await cache.keep([], at: .after(3))
            #expect(try await cache.numbers(10, at: .start) == [4, 2])
            #expect(try await cache.numbers(10, at: .after(3)) == [])
            // 2 was removed, or it is above the place of 3 now.
            try await cache.keep([0], at: .after(3))
            #expect(try await cache.numbers(10, at: .start) == [4, 2])
            #expect(try await cache.numbers(10, at: .after(3)) == [0])
            // The predecessor of a removed item's place is unknown too.
            try await cache.keep([2], at: .before(1))
            #expect(try await cache.numbers(10, at: .start) == [4, 2])
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `a full page does not mark the end`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([1], at: .start, limit: 1)
            try await cache.keep([], at: .after(1), limit: 1)
            #expect(try await cache.keep([1], at: .start, limit: 1)?.isLast == false)
            #expect(try await cache.numbers(1, at: .after(1)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `a page before a cursor does not replace known items there`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start)
            try await cache.keep([6, 5, 4], at: .after(7))
            try await cache.keep([3, 2, 1], at: .after(4))
            // The upstream ignores `before_id`.
            try await cache.keep([9, 8, 7], at: .before(3))
            #expect(try await cache.numbers(10, at: .start) == Array((1...9).reversed()))
            #expect(try await cache.numbers(3, at: .before(3)) == [6, 5, 4])
        }
    }

    @Test(arguments: Factory.all) func `a page before the first item that begins with its successor is the first page`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5], at: .start)
            // Either 9, 7 and 6 were removed, or 8 and 5 have moved.
            try await cache.keep([8, 5], at: .before(9))
            #expect(try await cache.numbers(10, at: .start) == [9])
            #expect(try await cache.numbers(10, at: .after(8)) == [5])
        }
    }

    @Test(arguments: Factory.all) func `a removed item that is published again moves to its new place`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 6, 5], at: .start)
            try await cache.keep([8, 5], at: .after(9))
            // 6 is published again, after 10.
            try await cache.keep([6, 10, 9], at: .before(8), limit: 3)
            #expect(try await cache.numbers(10, at: .after(8)) == [5])
            #expect(try await cache.numbers(10, at: .start) == [6, 10, 9, 8, 5])
        }
    }

    @Test(arguments: Factory.all) func `a page before a cursor is not linked where something else follows it`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6], at: .start)
            try await cache.keep([9, 8, 7], at: .before(3))
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7, 6])
            #expect(try await cache.numbers(10, at: .before(3)) == nil)
            // Nor where nothing follows it.
            try await cache.keep([], at: .after(6))
            try await cache.keep([7, 6], at: .before(3))
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .before(3)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `a page that is shown both after and before a cursor stays after it`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            for cursor in [FeedCursor.after(5), .before(5)] { try await cache.keep([4, 3], at: cursor) }
            #expect(try await cache.numbers(10, at: .after(5)) == [4, 3])
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all)
    func `items removed from the top do not separate the first item from the beginning`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3, 2, 1], at: .start)
            let kept = try await cache.keep([3, 2, 1], at: .start)
            #expect(kept?.removed == [UUID(number: 4)])
            try await cache.keep([], at: .before(3))
            #expect(try await cache.numbers(10, at: .start) == [3, 2, 1])
            #expect(try await cache.keep([5], at: .before(3))?.new.map(\.number) == [5])
            #expect(try await cache.numbers(10, at: .start) == [5, 3, 2, 1])
            #expect(try await cache.numbers(10, at: .before(3)) == [5])
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `an older answer does not reduce an item's time`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([2, 1], at: .start, savedAt: 200)
            try await cache.keep([2, 1], at: .start, savedAt: 100)
            #expect(try await cache.page(2, at: .start)?.savedAt == Date(timeIntervalSince1970: 200))
        }
    }

    @Test func `inconsistent links are detected`() async throws {
        for damage in [
            // A successor that does not exist, one that was removed, the beginning of the feed, and an item after itself.
            "UPDATE node SET next = 99 WHERE number = 3",
            "UPDATE node SET state = 2, image = NULL WHERE number = 2",
            "UPDATE node SET next = 0 WHERE number = 3",
            "UPDATE node SET next = NULL WHERE number = 0; UPDATE node SET next = 1 WHERE number = 3",
        ] {
            try await withTemporaryDirectory { directory in
                let pool = try SQLiteFeedCache.opening.open(directory + "/feed-edge.sqlite")
                let cache = SQLiteFeedCache(pool)
                try await cache.keep([3, 2, 1], at: .start)
                try await cache.checkIntegrity()
                try await pool.write { try $0.execute(sql: damage) }
                await #expect(throws: StoreError.damaged, "\(damage)") { try await cache.checkIntegrity() }
            }
        }
    }

    // MARK: The end

    @Test(arguments: Factory.all, [1, 2, 3])
    func `items beyond the end were removed; many of them stay as a separate run`(
        caches: Factory, limit: Int
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6], at: .start)
            try await cache.keep([], at: .after(8), limit: limit)
            #expect(try await cache.numbers(10, at: .start) == [9, 8])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .after(7)) == (limit < 2 ? [6] : []))
            #expect(try await (cache.item(UUID(number: 6)) == nil) == (limit >= 2))
        }
    }

    @Test(arguments: Factory.all, [(6, 2, true), (5, 2, false), (6, 1, false)])
    func `what a feed no longer has was removed once all of it was shown later; many such items stay`(
        caches: Factory, limits: (limit: Int, savedAt: Int, areRemoved: Bool)
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3, 2], at: .start, .last, savedAt: 1)
            // So many are gone that 6 and 2 may also have moved to the top.
            let removed = try await cache.keep(
                [6, 2], at: .start, .last, savedAt: limits.savedAt, limit: limits.limit)?.removed
            #expect(removed?.count == (limits.areRemoved ? 6 : 0))
            #expect(try await cache.numbers(10, at: .start) == [6, 2])
            #expect(try await cache.count() == (limits.areRemoved ? 2 : 8))
            #expect(try await (cache.item(UUID(number: 8)) == nil) == limits.areRemoved)
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all, [(1_000, true), (1_001, false)])
    func `all of a feed is known of a thousand items`(
        caches: Factory, feed: (count: Int, isAll: Bool)
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5_000, 4_000], at: .after(6_000), savedAt: 1)
            try await cache.keep(Array(1...feed.count), at: .start, .last, savedAt: 2, limit: feed.count)
            #expect(try await (cache.item(UUID(number: 5_000)) == nil) == feed.isAll)
        }
    }

    @Test(arguments: Factory.all) func `a part of the feed says nothing about other items`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4], at: .after(6), savedAt: 1)
            try await cache.keep([9, 8], at: .start, .more, savedAt: 2)
            try await cache.keep([2, 1], at: .after(3), .last, savedAt: 3)
            #expect(try await cache.count() == 6)
            // Newer items than the latest answer about the top.
            try await cache.keep([12, 11], at: .after(13), savedAt: 4)
            try await cache.keep([5, 4, 3, 2, 1], at: .after(8), .last, savedAt: 5)
            #expect(try await cache.count() == 9)
        }
    }

    @Test(arguments: Factory.all) func `the items after a short page without links are unknown`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4], at: .start)
            try await cache.keep([], at: .after(4))
            // 6, 5 and 4 were removed.
            try await cache.keep([8, 7], at: .after(9), isShort: true)
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7])
            #expect(try await cache.numbers(10, at: .after(7)) == nil)
            #expect(try await cache.page(10, at: .start)?.isLast == false)
            // The end of the feed matches the cache.
            try await cache.keep([], at: .after(7))
            try await cache.keep([9, 8, 7], at: .start, isShort: true)
            #expect(try await cache.page(10, at: .start)?.isLast == true)
        }
    }

    // MARK: Age

    @Test(arguments: Factory.all) func `a page is as old as its oldest item`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, savedAt: 100)
            try await cache.keep([7], at: .after(8), savedAt: 200)
            #expect(try await cache.page(1, at: .start)?.savedAt == Date(timeIntervalSince1970: 100))
            #expect(try await cache.page(3, at: .start)?.savedAt == Date(timeIntervalSince1970: 100))
            #expect(try await cache.page(1, at: .after(8))?.savedAt == Date(timeIntervalSince1970: 200))
            try await cache.keep([9, 8], at: .start, savedAt: 300)
            #expect(try await cache.page(3, at: .start)?.savedAt == Date(timeIntervalSince1970: 200))
            try await cache.keep([], at: .after(7), savedAt: 250)
            #expect(try await cache.page(1, at: .after(7))?.savedAt == Date(timeIntervalSince1970: 250))
        }
    }

    @Test(arguments: Factory.all, [71, 72])
    func `what the cache holds is no younger than an answer after the clock was set back by more than a minute`(
        caches: Factory, savedAt: Int
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, savedAt: savedAt, receivedAt: savedAt)
            try await cache.keep([], at: .after(8), savedAt: savedAt, receivedAt: savedAt)
            // Another page of an upstream whose answer is a second old.
            try await cache.keep([3], at: .after(4), savedAt: 10, receivedAt: 11)
            let date = Date(timeIntervalSince1970: savedAt > 71 ? 10 : 71)
            #expect(try await cache.page(2, at: .start)?.savedAt == date)
            #expect(try await cache.page(2, at: .after(8))?.savedAt == date)
        }
    }

    @Test(arguments: Factory.all, [604_899, 604_900])
    func `a run is served up to the first expired item`(caches: Factory, now: Int) async throws {
        let isValid = now < 604_900
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start, savedAt: 100)
            try await cache.keep([], at: .after(7), savedAt: 100)
            // The top is read weekly.
            try await cache.keep([9, 8], at: .start, savedAt: 200)
            let now = Date(timeIntervalSince1970: TimeInterval(now))
            let page = try await cache.page(10, at: .start, now: now)
            #expect(page?.items.map(\.number) == (isValid ? [9, 8, 7] : [9, 8]))
            #expect(page?.isLast == isValid)
            #expect(try await (cache.page(10, at: .after(8), now: now) != nil) == isValid)
            #expect(try await (cache.page(10, at: .after(7), now: now) != nil) == isValid)
        }
    }

    @Test(arguments: Factory.all, [604_899, 604_900])
    func `items are found by their ids until they expire`(caches: Factory, now: Int) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, savedAt: 0)
            try await cache.keep([9], at: .start, savedAt: 100)
            let found = try await cache.items(
                withIDs: UUID(number: 1)...UUID(number: 9), limit: 10,
                now: Date(timeIntervalSince1970: TimeInterval(now)))
            #expect(found.map(\.number) == (now < 604_900 ? [9] : []))
        }
    }

    @Test(arguments: Factory.all) func `an expired item splits its run`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start, savedAt: 100)
            try await cache.keep([9], at: .start, savedAt: 101)
            try await cache.keep([7], at: .after(8), savedAt: 101)
            #expect(try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_900)) == [UUID(number: 8)])
            #expect(try await cache.numbers(10, at: .start) == [9])
            #expect(try await cache.numbers(10, at: .after(9)) == nil)
            #expect(try await cache.item(UUID(number: 7)) != nil)
        }
    }

    @Test(arguments: Factory.all) func `expired runs are dropped, valid ones stay`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8], at: .start, savedAt: 101)
            try await cache.keep([5], at: .after(6), savedAt: 100)
            #expect(try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_899)) == [])
            #expect(try await cache.numbers(1, at: .after(6)) == [5])
            #expect(try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_900)) == [UUID(number: 5)])
            #expect(try await cache.numbers(1, at: .after(6)) == nil)
            #expect(try await cache.item(UUID(number: 5)) == nil)
            #expect(try await cache.numbers(10, at: .start) == [9, 8])
            #expect(try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_900)) == [])
            let expired = try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_901))
            #expect(Set(expired) == [UUID(number: 9), UUID(number: 8)])
            #expect(try await cache.numbers(10, at: .start) == nil)
        }
    }

    @Test(arguments: Factory.all) func `items that were not cached are new at the top, and found elsewhere`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            let first = try await cache.keep([9, 8], at: .start)
            #expect(first?.new.map(\.number) == [9, 8] && first?.found == [])
            let lower = try await cache.keep([7, 6], at: .after(8))
            #expect(lower?.new == [] && lower?.found.map(\.number) == [7, 6])
            let again = try await cache.keep([7, 6, 5], at: .after(8))
            #expect(again?.new == [] && again?.found.map(\.number) == [5])
            let unknown = try await cache.keep([2], at: .after(3))
            #expect(unknown?.found.map(\.number) == [2])
            let upper = try await cache.keep([10], at: .before(9))
            #expect(upper?.new.map(\.number) == [10] && upper?.found == [] && upper?.evicted == [])
        }
    }

    @Test(arguments: Factory.all) func `everything survives a restart`(caches: Factory) async throws {
        try await caches.withReopening { reopen in
            let validators = AnswerValidators(etag: #""1""#, lastModified: nil)
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
            #expect(try await cache.page(10, at: .start)?.savedAt == Date(timeIntervalSince1970: 42))
            #expect(try await cache.answer(10, at: .start)?.validators == validators)
        }
    }

    @Test func `changes are logged with their pages, also what expired, and the log survives a restart`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed-edge.sqlite"
            var pool = try SQLiteFeedCache.opening.open(path)
            var cache = SQLiteFeedCache(pool)
            var mark = try await cache.lastChange()
            #expect(try await cache.news(after: mark) == nil)
            try await cache.keep([9, 8], at: .start, savedAt: 1)
            try await cache.keep([7], at: .after(8), savedAt: 2)
            try await cache.keep([9, 7], at: .start, savedAt: 3)
            try pool.close()

            pool = try SQLiteFeedCache.opening.open(path)
            cache = SQLiteFeedCache(pool)
            _ = try await cache.dropExpired(at: Date(timeIntervalSince1970: 3 + FeedCachePolicy.lifetime))
            for change in [
                FeedChange.published([picture(9), picture(8)]), .found([picture(7)]), .removed([UUID(number: 8)]),
                .forgotten([UUID(number: 9), UUID(number: 7)]),
            ] {
                let news = try #require(try await cache.news(after: mark))
                #expect(news.content == .change(change))
                mark = news.mark
            }
            #expect(try await cache.news(after: mark) == nil)
            #expect(try await cache.lastChange() == mark)
        }
    }

    @Test func `a full cache logs what it evicts`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedCache.opening.open(directory + "/feed-edge.sqlite")
            // Room for the beginning of the feed and one item.
            let cache = SQLiteFeedCache(pool, budget: 3 * FeedCachePolicy.overhead)
            try await cache.keep([9], at: .start, savedAt: 1)
            let mark = try await cache.lastChange()
            try await cache.keep([8], at: .after(9), savedAt: 2)
            let found = try #require(try await cache.news(after: mark))
            #expect(found.content == .change(.found([picture(8)])))
            #expect(try await cache.news(after: found.mark)?.content == .change(.forgotten([UUID(number: 9)])))
        }
    }

    @Test(arguments: 1...9)
    func `a cache of any version can be used, keeps its runs, and begins or continues its log`(
        version: Int
    ) async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed-edge.sqlite"
            let opening = SQLiteFeedCache.opening
            let first = try StoreOpening(
                applicationID: opening.applicationID, migrator: DatabaseMigrator(), isCache: true
            ).open(path)
            try opening.migrator.migrate(first, upTo: opening.migrator.migrations[version - 1])
            try await first.write { db in
                // Version 1 had other tables, whose content is discarded.
                guard version > 1 else {
                    for table in ["run", "item", "place", "answer"] {
                        try db.execute(sql: "CREATE TABLE \(table) (id BLOB); INSERT INTO \(table) VALUES (x'00')")
                    }
                    return
                }
                for (number, next, end) in [(9, 8, nil), (8, nil, 0)] as [(Int, Int?, Int?)] {
                    try db.execute(
                        sql: """
                            INSERT INTO node (number, id, state, saved_at, next, ended_at, location, image)
                            VALUES (?, ?, 1, 0, ?, ?, ?, ?)
                            """,
                        arguments: [
                            number, UUID(number: number), next, end, picture(number).location, picture(number).image,
                        ])
                }
                try db.execute(sql: "UPDATE node SET next = 9 WHERE number = 0")
                if version < 7 { try db.execute(sql: "UPDATE node SET prev = iif(number = 9, 0, 9) WHERE state = 1") }
                for values in FeedImage.storedValues(until: version - 1) {
                    try db.execute(sql: "UPDATE node SET \(values) WHERE state = 1")
                }
            }
            let logged = version < 8 ? nil : try await SQLiteFeedCache(first).lastChange()
            try first.close()

            let pool = try opening.open(path)
            let cache = SQLiteFeedCache(pool)
            let items = version == 1 ? nil : [9, 8].map { picture($0).stored(until: version - 1) }
            #expect(try await cache.page(10, at: .start)?.items == items)
            #expect(try await cache.page(10, at: .start)?.isLast == (version == 1 ? nil : true))
            #expect(try await cache.numbers(10, at: .before(8)) == (version == 1 ? nil : [9]))
            try await cache.checkIntegrity()
            let mark = try await cache.lastChange()
            #expect(logged == nil || logged == mark)
            try await cache.keep([10, 9], at: .start)
            #expect(try await cache.numbers(10, at: .start) == (version == 1 ? [10, 9] : [10, 9, 8]))
            let new = version == 1 ? [picture(10), picture(9)] : [picture(10)]
            let news = try await cache.news(after: mark)
            #expect(news?.content == .change(.published(new)))
            try await cache.checkIntegrity()
            let isWeighed = try await pool.read { db in
                try Bool.fetchOne(
                    db,
                    sql: """
                        SELECT total = (SELECT sum(256 + length(CAST(coalesce(location, '') || coalesce(image, '')
                            || coalesce(tags, '') || coalesce(details, '') AS BLOB))) FROM node) FROM weight
                        """)
            }
            #expect(isWeighed == true)
            try pool.close()
        }
    }

    @Test func `a cache without dates keeps its items and forgets its answers`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed-edge.sqlite"
            try Self.writeThirdVersion(path)
            let cache: any FeedCache = SQLiteFeedCache(try SQLiteFeedCache.opening.open(path))
            #expect(try await cache.page(10, at: .start)?.items == [picture(9)])
            // A 304 would leave the item without its date.
            #expect(try await cache.answer(10, at: .start) == nil)
            _ = try await cache.keep(FetchedFeedPage([picture(9).published], at: .start))
            #expect(try await cache.page(10, at: .start)?.items == [picture(9).published])
        }
    }

    @Test func `a cache without tags keeps its items and forgets its answers`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed-edge.sqlite"
            try Self.writeThirdVersion(path)
            let cache: any FeedCache = SQLiteFeedCache(try SQLiteFeedCache.opening.open(path))
            let tagged = picture(9, tags: ["sea", "sun"])
            #expect(try await cache.page(10, at: .start)?.items == [picture(9)])
            // A 304 would leave the item without its tags.
            #expect(try await cache.answer(10, at: .start) == nil)
            _ = try await cache.keep(FetchedFeedPage([tagged], at: .start))
            #expect(try await cache.page(10, at: .start)?.items == [tagged])
            try await cache.checkIntegrity()
        }
    }

    @Test func `a cache in which two items have the same successor is set aside at its migration`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed-edge.sqlite"
            let opening = SQLiteFeedCache.opening
            let pool = try StoreOpening(
                applicationID: opening.applicationID, migrator: DatabaseMigrator(), isCache: true
            ).open(path)
            try opening.migrator.migrate(pool, upTo: "6 details")
            try await pool.write { db in
                for number in 1...3 {
                    try db.execute(
                        sql: "INSERT INTO node (number, id, state, saved_at, next, image) VALUES (?, ?, 1, 0, ?, 'x')",
                        arguments: [number, UUID(number: number), number < 3 ? 3 : nil])
                }
            }
            try pool.close()
            var reports: [String] = []
            let cache: any FeedCache = SQLiteFeedCache(
                try opening.openReplacing(path, now: Date(timeIntervalSince1970: 0)) { reports.append($0) })
            #expect(reports.count == 1 && reports[0].contains("it was renamed to \(path).corrupt-"))
            try await cache.keep([9], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [9])
        }
    }

    /// Version 6 has removed items in its chains.
    @Test func `a cache with links in both directions keeps its runs, and the places of removed items`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/feed-edge.sqlite"
            let pool = try StoreOpening(
                applicationID: SQLiteFeedCache.opening.applicationID, migrator: DatabaseMigrator(), isCache: true
            ).open(path)
            try FeedCacheSchema.migrator.migrate(pool, upTo: "6 details")
            // The feed: (9) 8 (7) (6) 5 (4), and then its end. Another run: 2 after the unknown cursor 3, (1) after it.
            let chains = [[9, 8, 7, 6, 5, 4], [3, 2, 1]]
            let removed: Set = [9, 7, 6, 4, 1]
            try await pool.write { db in
                for chain in chains {
                    for (index, number) in chain.enumerated() {
                        let state = removed.contains(number) ? 2 : number == 3 ? 0 : 1
                        try db.execute(
                            sql: """
                                INSERT INTO node (number, id, state, saved_at, prev, next, ended_at, location, image)
                                VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?)
                                """,
                            arguments: [
                                number, UUID(number: number), state,
                                index > 0 ? chain[index - 1] : number == 9 ? 0 : nil,
                                index + 1 < chain.count ? chain[index + 1] : nil, number == 4 ? 0 : nil,
                                state == 1 ? picture(number).location : nil, state == 1 ? picture(number).image : nil,
                            ])
                    }
                }
                try db.execute(sql: "UPDATE node SET next = 9 WHERE number = 0")
            }
            try pool.close()
            let cache: any FeedCache = SQLiteFeedCache(try SQLiteFeedCache.opening.open(path))
            try await cache.checkIntegrity()
            #expect(try await cache.numbers(10, at: .start) == [8, 5])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            for (cursor, following) in [(9, [8, 5]), (8, [5]), (7, [5]), (6, [5]), (5, []), (4, []), (3, [2])] {
                #expect(try await cache.numbers(10, at: .after(cursor)) == following)
            }
            #expect(try await cache.numbers(10, at: .before(7)) == [8])
            #expect(try await cache.numbers(10, at: .after(2)) == nil)
            #expect(try await cache.numbers(10, at: .after(1)) == nil)
            try await cache.keep([5, 3], at: .after(8))
            #expect(try await cache.numbers(10, at: .start) == [8, 5, 3, 2])
        }
    }

    /// Writes a cache of version 3 with `picture(9)` and the answer that had it.
    private static func writeThirdVersion(_ path: String) throws {
        let pool = try StoreOpening(
            applicationID: SQLiteFeedCache.opening.applicationID, migrator: DatabaseMigrator(), isCache: true
        ).open(path)
        try FeedCacheSchema.migrator.migrate(pool, upTo: "3 hints")
        let item = picture(9)
        try pool.write { db in
            try db.execute(
                sql:
                    "INSERT INTO node (number, id, state, saved_at, prev, location, image) VALUES (1, ?, 1, 0, 0, ?, ?)",
                arguments: [item.id, item.location, item.image])
            try db.execute(sql: "UPDATE node SET next = 1 WHERE number = 0")
            try db.execute(
                sql: """
                    INSERT INTO answer (cursor, downward, size, etag, continuation, ids, fingerprint)
                    VALUES (x'', 1, 10, '"1"', 'more', ?, ?)
                    """,
                arguments: [withUnsafeBytes(of: item.id.uuid) { Data($0) }, Fingerprint([item]).value])
        }
        try pool.close()
    }

    // MARK: Budget

    @Test(arguments: [0, 1]) func `a full cache evicts the item that was not shown for the longest time`(
        excess: Int
    ) async throws {
        // Four items and the beginning of the feed fill the budget exactly.
        let size = 100
        let budget = 5 * FeedCachePolicy.overhead + 4 * size + (excess == 0 ? 0 : -excess)
        func item(_ number: Int) -> FeedImage {
            let image = "https://pictures.example/\(number)"
            return FeedImage(
                id: UUID(number: number), description: String(repeating: "x", count: size - image.utf8.count),
                location: nil, image: image)
        }
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedCache.opening.open(directory + "/feed-edge.sqlite")
            let cache = SQLiteFeedCache(pool, budget: budget)
            for number in 1...4 {
                _ = try await cache.keep(
                    FetchedFeedPage(
                        items: [item(number)], limit: 1,
                        cursor: number == 1 ? .start : .after(UUID(number: number - 1)),
                        savedAt: Date(timeIntervalSince1970: TimeInterval(number))))
            }
            #expect(try await cache.numbers(10, at: .start) == (excess == 0 ? [1, 2, 3, 4] : nil))
            #expect(try await cache.numbers(10, at: .after(1)) == (excess == 0 ? [2, 3, 4] : nil))
            #expect(try await cache.numbers(10, at: .after(2)) == [3, 4])
        }
    }

    @Test(arguments: [0, 1]) func `tags count against the budget, also when they change`(excess: Int) async throws {
        try await withTemporaryDirectory { directory in
            let item = FeedImage(
                id: UUID(number: 1), description: nil, location: nil, image: "urn:x",
                tags: [String(repeating: "x", count: 91)])
            // The tags are stored as [""]. Their item and the beginning of the feed fill the budget exactly.
            let pool = try SQLiteFeedCache.opening.open(directory + "/feed-edge.sqlite")
            let cache: any FeedCache = SQLiteFeedCache(pool, budget: 2 * FeedCachePolicy.overhead + 100 - excess)
            let bare = FeedImage(id: item.id, description: nil, location: nil, image: "urn:x")
            for page in [[bare], [item], [bare], [item]] {
                _ = try await cache.keep(
                    FetchedFeedPage(items: page, limit: 1, cursor: .start, savedAt: Date(timeIntervalSince1970: 1)))
                let isEvicted = excess > 0 && page == [item]
                let stored = try await cache.item(item.id)?.image
                #expect((stored == nil) == isEvicted)
            }
        }
    }

    @Test func `a page that is older than all others may be evicted at once`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedCache.opening.open(directory + "/feed-edge.sqlite")
            let cache = SQLiteFeedCache(pool, budget: 5 * FeedCachePolicy.overhead)
            try await cache.keep([9, 8, 7], at: .start, savedAt: 100)
            try await cache.keep([6, 5], at: .after(7), savedAt: 50)
            #expect(try await cache.numbers(10, at: .start)?.first == 9)
        }
    }

    @Test(arguments: Factory.all) func `a page has a limited size and at least one item`(caches: Factory) async throws {
        try await caches.withStore { cache in
            func item(_ number: Int, _ weight: Int) -> FeedImage {
                let rest = picture(number, "").weight
                return picture(number, String(repeating: "x", count: weight - rest))
            }
            let half = FeedCachePolicy.pageBytes / 2
            for (weights, count) in [([half, half], 2), ([half, half + 1], 1), ([half * 3, 400], 1)] {
                let items = weights.enumerated().map { item($0 + 1, $1) }
                _ = try await cache.keep(FetchedFeedPage(items, at: .start))
                _ = try await cache.keep([], at: .after(weights.count))
                let page = try await cache.page(10, at: .start)
                #expect(page?.items.count == count)
                #expect(page?.isLast == (count == weights.count))
            }
        }
    }

    // MARK: Answers

    @Test(arguments: Factory.all) func `an answer is known while all its items are cached`(caches: Factory) async throws
    {
        try await caches.withStore { cache in
            let validators = AnswerValidators(etag: #""1""#, lastModified: "yesterday")
            try await cache.keep([9, 8], at: .start, .more, validators)
            let answer = KnownAnswer(items: [picture(9), picture(8)], continuation: .more, validators: validators)
            #expect(try await cache.answer(10, at: .start) == answer)
            // Another limit or cursor has another answer.
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
        receivedAt: Int = 1_000_000, _ validators: AnswerValidators = AnswerValidators(), limit: Int = 10,
        isShort: Bool = false
    ) async throws -> FeedCacheChange? {
        try await keep(
            FetchedFeedPage(
                items: numbers.map { picture($0) }, limit: limit, cursor: cursor,
                savedAt: Date(timeIntervalSince1970: TimeInterval(savedAt)), age: receivedAt - savedAt,
                continuation: continuation, isShort: isShort, validators: validators))
    }

    /// A page at a time when no entry has expired.
    func page(_ limit: Int, at cursor: FeedCursor) async throws -> CachedFeedPage? {
        try await page(limit, at: cursor, now: Date(timeIntervalSince1970: 0))
    }

    /// Nil when no page is known.
    func numbers(_ limit: Int, at cursor: FeedCursor) async throws -> [Int]? {
        try await page(limit, at: cursor)?.items.map(\.number)
    }
}

extension FetchedFeedPage {
    init(_ items: [FeedImage], at cursor: FeedCursor) {
        self.init(items: items, limit: 10, cursor: cursor, savedAt: Date(timeIntervalSince1970: 0))
    }
}
