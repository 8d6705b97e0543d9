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
                #expect(try await cache.numbers(10, at: cursor) == nil)
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
            try await cache.keep([10, 7, 6, 5], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [10, 7, 6, 5, 4])
            #expect(try await cache.numbers(10, at: .after(8)) == [7, 6, 5, 4])
        }
    }

    @Test(arguments: Factory.all, [1, 2, 3])
    func `what takes fewer changes is believed, and in doubt nothing is removed`(
        caches: Factory, removed: Int
    ) async throws {
        // The two items of the page were published again, or those above them were removed.
        let joins = removed < 2
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4, 3], at: .start)
            let left = [9, 8, 7, 6, 5, 4, 3].dropFirst(removed)
            try await cache.keep(Array(left.prefix(2)), at: .start)
            #expect(try await cache.numbers(10, at: .start) == Array(joins ? left : left.prefix(2)))
            // Readers who stand further up go on.
            #expect(
                try await cache.numbers(1, at: .after(9)) == (joins ? [8] : removed == 1 ? nil : [8]))
        }
    }

    @Test(arguments: Factory.all) func `what turns up within a run has its place there`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([900, 100], at: .start)
            for (time, number) in (101...400).reversed().enumerated() {
                try await cache.keep([number, 100], at: .after(number == 400 ? 900 : number + 1), savedAt: time)
                // The first page is read again and again: what it shows has not moved.
                try await cache.keep([number], at: .after(number == 400 ? 900 : number + 1), savedAt: time + 1)
            }
            #expect(try await cache.numbers(1_000, at: .start) == [900] + (100...400).reversed())
            #expect(try await cache.numbers(1_000, at: .before(100)) == [900] + (101...400).reversed())
        }
    }

    // MARK: Contradictions

    @Test(arguments: Factory.all) func `what the run holds before the cursor was passed`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([5, 4, 3], at: .start)
            #expect(try await cache.passed([5, 2, 3, 4].map(UUID.init(number:)), at: .after(4)) == [UUID(number: 5)])
            #expect(try await cache.passed([5, 2, 3, 4].map(UUID.init(number:)), at: .before(4)) == [UUID(number: 3)])
            #expect(try await cache.passed([5, 4].map(UUID.init(number:)), at: .start) == [])
        }
    }

    @Test(arguments: Factory.all) func `an item that another follows now may have moved itself`(
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
            // Who has scrolled further goes on.
            #expect(try await cache.numbers(10, at: .after(2)) == [1])
            try await cache.keep([3, 5, 4, 2], at: .start)
            #expect(try await cache.numbers(10, at: .start) == [3, 5, 4, 2, 1])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
        }
    }

    @Test(arguments: Factory.all) func `an item that was shown lately has not moved`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6], at: .start, savedAt: 1)
            try await cache.keep([9, 8], at: .start, savedAt: 2)
            try await cache.keep([5, 4], at: .after(8), savedAt: 2)
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 5, 4])
            // What stood there before stays, as a run of its own.
            #expect(try await cache.numbers(10, at: .after(7)) == [6])
            #expect(try await cache.numbers(10, at: .before(6)) == [7])
            try await cache.keep([7, 6], at: .after(4), savedAt: 3)
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 5, 4, 7, 6])
        }
    }

    @Test(arguments: Factory.all) func `an item that comes again from further down is above the cursor now`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3, 2, 1], at: .start, .last)
            try await cache.keep([1], at: .before(4))
            #expect(try await cache.numbers(10, at: .start) == [1, 4, 3, 2])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .before(4)) == [1])
        }
    }

    @Test(arguments: Factory.all) func `an item that comes again from further up is below the cursor now`(
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

    @Test(arguments: Factory.all) func `a cursor that the feed's first item follows stands above it now`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3, 2, 1], at: .start, .last)
            // 2 was published again.
            try await cache.keep([4, 3, 1], at: .after(2), .last)
            #expect(try await cache.numbers(10, at: .start) == [2, 4, 3, 1])
            #expect(try await cache.page(10, at: .start)?.isLast == true)
            #expect(try await cache.numbers(10, at: .after(2)) == [4, 3, 1])
            // With something new in between.
            try await cache.keep([5, 2, 4], at: .after(3), .more)
            #expect(try await cache.numbers(10, at: .start) == [3, 5, 2, 4, 1])
        }
    }

    @Test(arguments: Factory.all) func `what stood beside a removed item may have moved`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([4, 3, 2, 1], at: .start, .last)
            try await cache.keep([4, 2], at: .start, .last)
            // 4 and 2 were published again, so nothing follows where 3 stood.
            try await cache.keep([], at: .after(3))
            #expect(try await cache.numbers(10, at: .start) == [4, 2])
            #expect(try await cache.numbers(10, at: .after(3)) == nil)
            // Nor is anything known of what stands before the place of a removed item.
            try await cache.keep([2], at: .before(1))
            #expect(try await cache.numbers(10, at: .start) == [4, 2])
            try await cache.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `a full page does not say that nothing follows`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([1], at: .start, limit: 1)
            try await cache.keep([], at: .after(1), limit: 1)
            #expect(try await cache.keep([1], at: .start, limit: 1)?.isLast == false)
            #expect(try await cache.numbers(1, at: .after(1)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `a page before a cursor replaces nothing that is known to stand there`(
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

    @Test(arguments: Factory.all) func `a removed item that comes again has left its former place`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 6, 5], at: .start)
            try await cache.keep([8, 5], at: .after(9))
            // 6 is published again, after 10.
            try await cache.keep([6, 10, 9], at: .before(8), limit: 3)
            #expect(try await cache.numbers(10, at: .after(8)) == [5])
            #expect(try await cache.numbers(10, at: .after(6)) == [10, 9, 8, 5])
            #expect(try await cache.numbers(10, at: .start) == nil)
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
        }
    }

    @Test(arguments: Factory.all)
    func `items that were removed from the top do not stand between the feed and its beginning`(
        caches: Factory
    ) async throws {
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

    @Test(arguments: Factory.all) func `an older answer does not make an item older`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep([2, 1], at: .start, savedAt: 200)
            try await cache.keep([2, 1], at: .start, savedAt: 100)
            #expect(try await cache.page(2, at: .start)?.savedAt == Date(timeIntervalSince1970: 200))
        }
    }

    @Test func `links that cannot be right are found`() async throws {
        for damage in [
            "UPDATE node SET next = 2 WHERE number = 2", "UPDATE node SET prev = NULL WHERE number = 2",
            "UPDATE node SET next = 1, ended_at = NULL WHERE number = 3; UPDATE node SET prev = 3 WHERE number = 1;"
                + "UPDATE node SET next = NULL WHERE number = 0",
        ] {
            try await withTemporaryDirectory { directory in
                let pool = try SQLiteFeedCache.opening.open(directory + "/feed-edge.sqlite")
                let cache = SQLiteFeedCache(pool)
                try await cache.keep([3, 2, 1], at: .start)
                try await cache.checkIntegrity()
                try await pool.write { try $0.execute(sql: damage) }
                await #expect(throws: FeedStoreError.self, "\(damage)") { try await cache.checkIntegrity() }
            }
        }
    }

    // MARK: The end

    @Test(arguments: Factory.all, [1, 2, 3])
    func `items beyond the end were removed; many stay as a run of their own`(
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

    @Test(arguments: Factory.all) func `what follows a short page without links is not known`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7, 6, 5, 4], at: .start)
            try await cache.keep([], at: .after(4))
            // 6, 5 and 4 have left.
            try await cache.keep([8, 7], at: .after(9), isShort: true)
            #expect(try await cache.numbers(10, at: .start) == [9, 8, 7])
            #expect(try await cache.numbers(10, at: .after(7)) == nil)
            #expect(try await cache.page(10, at: .start)?.isLast == false)
            // The end of the feed is no surprise.
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

    @Test(arguments: Factory.all, [604_899, 604_900])
    func `a run is served as far as its items are valid`(caches: Factory, now: Int) async throws {
        let isValid = now < 604_900
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start, savedAt: 100)
            try await cache.keep([], at: .after(7), savedAt: 100)
            // The top is read every week.
            try await cache.keep([9, 8], at: .start, savedAt: 200)
            let now = Date(timeIntervalSince1970: TimeInterval(now))
            let page = try await cache.page(10, at: .start, now: now)
            #expect(page?.items.map(\.number) == (isValid ? [9, 8, 7] : [9, 8]))
            #expect(page?.isLast == isValid)
            #expect(try await (cache.page(10, at: .after(8), now: now) != nil) == isValid)
            #expect(try await (cache.page(10, at: .after(7), now: now) != nil) == isValid)
        }
    }

    @Test(arguments: Factory.all) func `what expires leaves a gap that nobody reads over`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep([9, 8, 7], at: .start, savedAt: 100)
            try await cache.keep([9], at: .start, savedAt: 101)
            try await cache.keep([7], at: .after(8), savedAt: 101)
            #expect(try await cache.dropExpired(at: Date(timeIntervalSince1970: 604_900)))
            #expect(try await cache.numbers(10, at: .start) == [9])
            #expect(try await cache.numbers(10, at: .after(9)) == nil)
            #expect(try await cache.item(UUID(number: 7)) != nil)
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
            #expect(try await cache.page(10, at: .start)?.savedAt == Date(timeIntervalSince1970: 42))
            #expect(try await cache.answer(10, at: .start)?.validators == validators)
        }
    }

    // MARK: Budget

    @Test(arguments: [0, 1]) func `a cache that is full evicts what was not shown for the longest time`(
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

    @Test func `a page that is older than all others may be evicted at once`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteFeedCache.opening.open(directory + "/feed-edge.sqlite")
            let cache = SQLiteFeedCache(pool, budget: 5 * FeedCachePolicy.overhead)
            try await cache.keep([9, 8, 7], at: .start, savedAt: 100)
            try await cache.keep([6, 5], at: .after(7), savedAt: 50)
            #expect(try await cache.numbers(10, at: .start)?.first == 9)
        }
    }

    @Test(arguments: Factory.all) func `one answer has a limited number of bytes, and at least one item`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            func item(_ number: Int, _ weight: Int) -> FeedImage {
                let rest = picture(number, "").weight
                return picture(number, String(repeating: "x", count: weight - rest))
            }
            let half = FeedCachePolicy.pageBytes / 2
            for (weights, count) in [([half, half], 2), ([half, half + 1], 1), ([half * 3, 200], 1)] {
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
        _ validators: PageValidators? = nil, limit: Int = 10, isShort: Bool = false
    ) async throws -> KeptFeedPage? {
        try await keep(
            FetchedFeedPage(
                items: numbers.map { picture($0) }, limit: limit, cursor: cursor,
                savedAt: Date(timeIntervalSince1970: TimeInterval(savedAt)), continuation: continuation,
                isShort: isShort, validators: validators))
    }

    /// A page at a time at which nothing has expired.
    func page(_ limit: Int, at cursor: FeedCursor) async throws -> CachedFeedPage? {
        try await page(limit, at: cursor, now: Date(timeIntervalSince1970: 0))
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
