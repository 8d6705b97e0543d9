import EdgeModel
import Feed
import Foundation
import RPCTestKit
import Testing

@testable import feed_service

extension StoreFactory<any FeedStore> {
    /// All stores.
    static let all =
        [
            StoreFactory(inMemory: { InMemoryFeedStore() }),
            StoreFactory("SQLite on disk") { SQLiteFeedStore(try SQLiteFeedStore.opening.open($0 + "/feed.sqlite")) },
        ] + inDatabases { PostgresFeedStore(try .database($0)) }
}

/// The specs of every store of the feed.
@Suite struct FeedStoreSpecs {
    typealias Factory = StoreFactory<any FeedStore>

    @Test(arguments: Factory.all) func `an empty store has an empty page`(stores: Factory) async throws {
        try await stores.withStore { store in
            #expect(try await store.slice(10, at: .start) == FeedSlice(items: [], hasMore: false))
            #expect(try await store.item(picture(1).id) == nil)
            try await store.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all) func `an item is read as it was published`(stores: Factory) async throws {
        try await stores.withStore { store in
            let full = picture(1, "à la plage 🏖").published
            let bare = FeedImage(id: UUID(number: 2), description: nil, location: nil, image: "urn:x:y").published
            let new = try await store.publish([full, bare])
            #expect(new == [full, bare])
            #expect(try await store.item(full.id) == full)
            #expect(try await store.item(bare.id) == bare)
            #expect(try await store.slice(10, at: .start).items == [full, bare])
        }
    }

    @Test(arguments: Factory.all) func `items are found by their ids, in the order of the ids`(stores: Factory)
        async throws
    {
        try await stores.withStore { store in
            #expect(try await store.items([picture(1).id]) == [])
            _ = try await store.publish([picture(1), picture(2), picture(3)])
            _ = try await store.remove([picture(2).id])
            let found = try await store.items([3, 2, 7, 1].map { picture($0).id })
            #expect(found == [picture(3).published, picture(1).published])
        }
    }

    @Test(arguments: Factory.all) func `items are found by a range of ids, in the order of their ids`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.publish([picture(3), picture(1), picture(4), picture(2)])
            let ids = UUID(number: 1)...UUID(number: 3)
            #expect(try await store.items(withIDs: ids, limit: 10).map(\.number) == [1, 2, 3])
            #expect(try await store.items(withIDs: ids, limit: 2).map(\.number) == [1, 2])
            _ = try await store.remove([UUID(number: 2)])
            #expect(try await store.items(withIDs: ids, limit: 2).map(\.number) == [1, 3])
        }
    }

    // MARK: Publishing

    @Test(arguments: Factory.all) func `A and B published onto C give A, B, C`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.publish([picture(3)])
            #expect(try await store.publish([picture(1), picture(2)]).map(\.number) == [1, 2])
            #expect(try await store.slice(10, at: .start).numbers == [1, 2, 3])
        }
    }

    @Test(arguments: Factory.all) func `publishing again changes nothing`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.publish([picture(1), picture(2), picture(3)])
            #expect(try await store.publish([picture(3), picture(1)]) == [])
            #expect(try await store.publish([picture(4), picture(2), picture(5)]).map(\.number) == [4, 5])
            #expect(try await store.slice(10, at: .start).numbers == [4, 5, 1, 2, 3])
        }
    }

    @Test(arguments: Factory.all) func `a conflict writes nothing of its batch`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.publish([picture(1)])
            await #expect(throws: FeedStoreError.conflict(picture(1).id)) {
                try await store.publish([picture(2), picture(1, "something else"), picture(3)])
            }
            #expect(try await store.slice(10, at: .start).items == [picture(1).published])
        }
    }

    // MARK: Dates

    @Test(arguments: Factory.all) func `an item has the time of its first publication, in whole seconds`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            let first = try await store.publish([picture(1)], now: .publication + 0.9)
            #expect(first == [picture(1).published])
            #expect(try await store.publish([picture(2), picture(1)], now: .publication + 60).map(\.number) == [2])
            #expect(try await store.item(picture(1).id) == picture(1).published)
            #expect(try await store.item(picture(2).id) == picture(2).published(at: .publication + 60))
        }
    }

    @Test(arguments: Factory.all) func `an imported item keeps its date, which is not content`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store async throws in
            let imported = picture(1).published(at: .publication - 60)
            #expect(try await store.publish([imported]) == [imported])
            #expect(try await store.publish([picture(1)]) == [])
            #expect(try await store.publish([picture(1).published(at: .publication + 60)]) == [])
            #expect(try await store.item(picture(1).id) == imported)
        }
    }

    @Test(arguments: Factory.all) func `a removed item gets a new date when it is published again`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.publish([picture(1)])
            _ = try await store.remove([picture(1).id])
            let again = try await store.publish([picture(1)], now: .publication + 60)
            #expect(again == [picture(1).published(at: .publication + 60)])
            #expect(try await store.item(picture(1).id) == again[0])
        }
    }

    // MARK: Hints

    @Test(arguments: Factory.all) func `hints are read as they were published`(stores: Factory) async throws {
        try await stores.withStore { store async throws in
            let items = [picture(1).with(.full), picture(2).with(.sized), picture(3).with(.placed)].map(\.published)
            #expect(try await store.publish(items) == items)
            #expect(try await store.slice(10, at: .start).items == items)
            #expect(try await store.item(picture(1).id) == items[0])
        }
    }

    @Test(arguments: Factory.all) func `hints are not content, and only missing ones are added`(
        stores: Factory
    ) async throws {
        let small = PictureHints(width: 1, height: 2)
        try await stores.withStore { store async throws in
            _ = try await store.publish([picture(1)])
            for (published, expected) in [
                (PictureHints.placed, PictureHints.placed), (PictureHints(), .placed),
                (small, small.completed(by: .placed)), (.sized, small.completed(by: .placed)),
            ] {
                #expect(try await store.publish([picture(1).with(published)]) == [])
                #expect(try await store.item(picture(1).id) == picture(1).with(expected).published)
            }
        }
    }

    @Test(arguments: Factory.all) func `a conflict adds no hints`(stores: Factory) async throws {
        try await stores.withStore { store async throws in
            _ = try await store.publish([picture(1), picture(2)])
            await #expect(throws: FeedStoreError.conflict(picture(1).id)) {
                try await store.publish([picture(1, "something else"), picture(2).with(.full)])
            }
            #expect(try await store.item(picture(2).id) == picture(2).published)
        }
    }

    // MARK: Tags

    @Test(arguments: Factory.all) func `tags are read as they were published, in their order`(
        stores: Factory
    ) async throws {
        try await stores.withReopening { reopen in
            let items = [
                picture(1, tags: ["Öresund", "a \"b\" \\ c", "ｗｉｄｅ", "🏖️"]), picture(2),
                picture(3, tags: (1...20).map { "\($0) " + String(repeating: "𝄞", count: 47) }),
            ].map(\.published)
            do {
                let store = try reopen()
                #expect(try await store.publish(items) == items)
            }
            let store = try reopen()
            #expect(try await store.slice(10, at: .start).items == items)
            #expect(try await store.item(picture(1).id) == items[0])
            try await store.checkIntegrity()
        }
    }

    @Test(arguments: Factory.all, [[], ["sea"], ["sea", "dog", "sun"], ["dog", "sea"], ["sea", "dóg"]])
    func `tags are content`(stores: Factory, others: [String]) async throws {
        try await stores.withStore { store in
            let item = picture(1, tags: ["sea", "dog"])
            _ = try await store.publish([item])
            await #expect(throws: FeedStoreError.conflict(item.id)) {
                try await store.publish([picture(1, tags: others), picture(2)])
            }
            #expect(try await store.slice(10, at: .start).items == [item.published])
        }
    }

    @Test(arguments: Factory.all) func `tags that differ in case and width only are the same content`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            let item = picture(1, tags: ["Sea", "dog"])
            _ = try await store.publish([item])
            #expect(try await store.publish([picture(1, tags: ["sEA", "ｄｏｇ"])]) == [])
            #expect(try await store.item(item.id) == item.published)
        }
    }

    // MARK: Counting

    @Test(arguments: Factory.all) func `published items are counted, removed ones are not`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            #expect(try await store.count() == 0)
            _ = try await store.publish([picture(1), picture(2), picture(3)])
            #expect(try await store.count() == 3)
            _ = try await store.publish([picture(4), picture(1)])
            _ = try await store.remove([picture(2).id, picture(9).id])
            #expect(try await store.count() == 3)
        }
    }

    // MARK: Paging

    @Test(arguments: Factory.all) func `a page knows whether more follow`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.publish((1...3).map { picture($0) })
            #expect(try await store.slice(2, at: .start).hasMore)
            #expect(try await !store.slice(3, at: .start).hasMore)
            #expect(try await store.slice(1, at: .after(picture(1).id)).hasMore)
            #expect(try await !store.slice(2, at: .after(picture(1).id)).hasMore)
            #expect(try await store.slice(1, at: .before(picture(3).id)).hasMore)
            #expect(try await !store.slice(2, at: .before(picture(3).id)).hasMore)
        }
    }

    @Test(arguments: Factory.all) func `a page before an item has the nearest items, in feed order`(stores: Factory)
        async throws
    {
        try await stores.withStore { store in
            _ = try await store.publish((1...5).map { picture($0) })
            #expect(try await store.slice(2, at: .before(picture(5).id)).numbers == [3, 4])
            #expect(try await store.slice(2, at: .before(picture(1).id)).numbers == [])
        }
    }

    @Test(arguments: Factory.all) func `items published during a walk do not shift its pages`(stores: Factory)
        async throws
    {
        try await stores.withStore { store in
            _ = try await store.publish((1...4).map { picture($0) })
            #expect(try await store.slice(2, at: .start).numbers == [1, 2])
            _ = try await store.publish([picture(9)])
            #expect(try await store.slice(2, at: .after(picture(2).id)).numbers == [3, 4])
            #expect(try await store.slice(2, at: .before(picture(1).id)).numbers == [9])
        }
    }

    @Test(arguments: Factory.all) func `an id that was never an item is an invalid cursor`(stores: Factory) async throws
    {
        try await stores.withStore { store in
            _ = try await store.publish([picture(1)])
            for cursor in [FeedCursor.after(picture(7).id), .before(picture(7).id)] {
                await #expect(throws: FeedStoreError.unknownCursor(picture(7).id)) {
                    try await store.slice(1, at: cursor)
                }
            }
        }
    }

    // MARK: Removing

    @Test(arguments: Factory.all) func `a removed item remains a valid cursor`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.publish((1...5).map { picture($0) })
            #expect(try await store.remove([picture(3).id, picture(7).id]) == [picture(3).id])
            #expect(try await store.remove([picture(3).id]) == [])
            #expect(try await store.item(picture(3).id) == nil)
            #expect(try await store.slice(10, at: .start).numbers == [1, 2, 4, 5])
            #expect(try await store.slice(10, at: .after(picture(3).id)).numbers == [4, 5])
            #expect(try await store.slice(10, at: .before(picture(3).id)).numbers == [1, 2])
        }
    }

    @Test(arguments: Factory.all) func `removed items are returned in feed order, each once`(
        stores: Factory
    ) async throws {
        try await stores.withStore { store in
            _ = try await store.publish((1...4).map { picture($0) })
            let removed = try await store.remove([4, 1, 9, 4, 2].map { picture($0).id })
            #expect(removed == [1, 2, 4].map { picture($0).id })
            #expect(try await store.slice(10, at: .start).numbers == [3])
        }
    }

    @Test(arguments: Factory.all) func `a removed item is published again at the top`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.publish((1...3).map { picture($0) })
            _ = try await store.remove([picture(3).id])
            #expect(try await store.publish([picture(3, "with other content")]).count == 1)
            #expect(try await store.slice(10, at: .start).numbers == [3, 1, 2])
            #expect(try await store.slice(10, at: .after(picture(3).id)).numbers == [1, 2])
        }
    }

    @Test(arguments: Factory.all) func `a position is never reused`(stores: Factory) async throws {
        try await stores.withStore { store in
            _ = try await store.publish([picture(1)])
            _ = try await store.remove([picture(1).id])
            _ = try await store.publish([picture(2)])
            #expect(try await store.slice(10, at: .before(picture(1).id)).numbers == [2])
            #expect(try await store.slice(10, at: .after(picture(1).id)).numbers == [])
        }
    }

    // MARK: Restarting

    @Test(arguments: Factory.all) func `everything survives a restart`(stores: Factory) async throws {
        try await stores.withReopening { reopen in
            do {
                let store = try reopen()
                _ = try await store.publish((1...5).map { picture($0, "number \($0)") })
                _ = try await store.remove([picture(3).id, picture(1).id])
            }
            let store = try reopen()
            #expect(
                try await store.slice(10, at: .start).items == [2, 4, 5].map { picture($0, "number \($0)").published })
            #expect(try await store.slice(10, at: .after(picture(3).id)).numbers == [4, 5])
            // The highest position, that of a removed item, is not reused.
            _ = try await store.publish([picture(6)])
            #expect(try await store.slice(10, at: .start).numbers == [6, 2, 4, 5])
            #expect(try await store.slice(10, at: .before(picture(1).id)).numbers == [6])
        }
    }

    // MARK: Combined operations

    /// During a walk down while items are published and removed, items that exist throughout are returned exactly once,
    /// in order, and no item is repeated.
    @Test(arguments: Factory.all, [1, 2, 3, 4, 5] as [UInt64])
    func `a walk never skips or repeats`(stores: Factory, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await stores.withStore { store in
            let there = Array(1...60)
            let tags = (0...60).map { number in (0..<Int.random(in: 0...20, using: &random)).map { "\(number) \($0)" } }
            _ = try await store.publish(there.map { picture($0, tags: tags[$0]) })
            var (seen, removed, published, cursor) = ([Int](), Set<Int>(), 60, FeedCursor.start)
            while true {
                let page = try await store.slice(Int.random(in: 1...7, using: &random), at: cursor)
                seen += page.numbers
                guard let last = page.items.last else { break }
                cursor = .after(last.id)

                let new = (0..<Int.random(in: 0...3, using: &random)).map { published + 1 + $0 }
                published += new.count
                _ = try await store.publish(new.map { picture($0) })
                for item in page.items where item.number <= 60 { #expect(item.tags == tags[item.number]) }
                if Bool.random(using: &random) {
                    // Sometimes the item at the reader's cursor.
                    let victim = Bool.random(using: &random) ? last.number : Int.random(in: 1...60, using: &random)
                    removed.insert(victim)
                    _ = try await store.remove([picture(victim).id])
                }
            }
            #expect(Set(seen).count == seen.count)
            #expect(seen == seen.sorted())
            #expect(Set(there).subtracting(seen).isSubset(of: removed))
        }
    }
}
