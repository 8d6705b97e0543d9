import Foundation
import ImageData
import RPCTestKit
import Testing

@testable import image_data_service

extension StoreFactory<any ImageStore> {
    /// All stores.
    static let all =
        [
            StoreFactory(inMemory: { InMemoryImageStore() }),
            StoreFactory("SQLite on disk") {
                SQLiteImageStore(try SQLiteImageStore.opening.open($0 + "/image-data.sqlite"))
            },
        ] + inDatabases { PostgresImageStore(try .database($0)) }
}

/// The specs of every store of image data.
@Suite struct ImageStoreSpecs {
    typealias Factory = StoreFactory<any ImageStore>

    @Test(arguments: Factory.all) func `an empty store has nothing`(stores: Factory) async throws {
        try await stores.withStore { store in
            let image = try await store.image(at: url(1))
            #expect(image == nil)
            #expect(try await store.record(at: url(1)) == nil)
        }
    }

    // MARK: Putting

    @Test(arguments: Factory.all) func `bytes are read as they were put`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.put(stored(1), at: url(1))
            #expect(try await store.image(at: url(1)) == stored(1))
            #expect(try await store.record(at: url(1)) == stored(1).record)
            #expect(try await store.image(at: url(2)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `putting again changes nothing`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.put(stored(1, at: 0), at: url(1))
            try await store.put(stored(1, at: 60), at: url(1))
            #expect(try await store.image(at: url(1)) == stored(1, at: 0))
        }
    }

    @Test(arguments: Factory.all) func `other bytes for the same URL are a conflict`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.put(stored(1), at: url(1))
            await #expect(throws: ImageStoreError.conflict(url: url(1))) { try await store.put(stored(2), at: url(1)) }
            #expect(try await store.image(at: url(1)) == stored(1))
            // The rejected bytes are not stored.
            let all = try await store.evict(.downTo(bytes: 0))
            #expect(all == Evicted(urls: 1, bytes: pictureSize, freed: contents(1...1)))
        }
    }

    @Test(arguments: Factory.all) func `URLs of one content each have their own time`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.put(stored(1, at: 0), at: url(1))
            try await store.put(stored(1, at: 60), at: url(2))
            #expect(try await store.image(at: url(1)) == stored(1, at: 0))
            #expect(try await store.image(at: url(2)) == stored(1, at: 60))
        }
    }

    // MARK: Evicting

    private func contents(_ numbers: some Sequence<Int>) -> Set<ContentHash> {
        Set(numbers.map { stored($0).record.hash })
    }

    @Test(arguments: Factory.all) func `content is deleted with its last URL`(stores: Factory) async throws {
        try await stores.withStore { store in
            for number in 1...3 { try await store.put(stored(1), at: url(number)) }
            #expect(try await store.evict(.urls([url(1), url(9)])) == Evicted(urls: 1, bytes: 0))
            #expect(try await store.image(at: url(1)) == nil)
            #expect(try await store.image(at: url(2)) == stored(1))
            let last = try await store.evict(.urls([url(2), url(3)]))
            #expect(last == Evicted(urls: 2, bytes: pictureSize, freed: contents(1...1)))
            #expect(try await store.evict(.urls([url(2), url(3)])) == Evicted(urls: 0, bytes: 0))
        }
    }

    @Test(arguments: Factory.all) func `bytes are evicted by age`(stores: Factory) async throws {
        try await stores.withStore { store in
            for (number, time) in [(1, 0.0), (2, 1), (3, 2)] {
                try await store.put(stored(number, at: time), at: url(number))
            }
            let evicted = try await store.evict(.older(than: 10, now: moment(11)))
            #expect(evicted == Evicted(urls: 2, bytes: 2 * pictureSize, freed: contents(1...2)))
            #expect(try await store.image(at: url(3)) == stored(3, at: 2))
        }
    }

    @Test(
        arguments: Factory.all,
        [(3, 0), (2, 1), (1, 2), (0, 3)])
    func `the least recently stored content is evicted first`(stores: Factory, expected: (kept: Int, evicted: Int))
        async throws
    {
        try await stores.withStore { store in
            for number in 1...3 { try await store.put(stored(number, at: Double(number)), at: url(number)) }
            // One byte less than needed for one more image.
            let room = (expected.kept + 1) * pictureSize - 1
            let evicted = try await store.evict(.downTo(bytes: expected.kept == 0 ? 0 : min(room, 3 * pictureSize)))
            let freed = contents(1..<expected.evicted + 1)
            #expect(evicted == Evicted(urls: expected.evicted, bytes: expected.evicted * pictureSize, freed: freed))
            for number in 1...3 {
                let image = try await store.image(at: url(number))
                #expect((image != nil) == (number > expected.evicted))
            }
        }
    }

    @Test(arguments: Factory.all) func `content has the time of its most recent URL`(stores: Factory) async throws {
        try await stores.withStore { store in
            try await store.put(stored(1, at: 1), at: url(1))
            try await store.put(stored(2, at: 2), at: url(2))
            try await store.put(stored(1, at: 3), at: url(3))
            let evicted = try await store.evict(.downTo(bytes: pictureSize))
            #expect(evicted == Evicted(urls: 1, bytes: pictureSize, freed: contents(2...2)))
            #expect(try await store.image(at: url(2)) == nil)
            #expect(try await store.image(at: url(1)) != nil)
        }
    }

    @Test(arguments: Factory.all) func `the size counts each content once`(stores: Factory) async throws {
        try await stores.withStore { store in
            #expect(try await store.bytes() == 0)
            try await store.put(stored(1), at: url(1))
            try await store.put(stored(1), at: url(2))
            try await store.put(stored(2), at: url(3))
            #expect(try await store.bytes() == 2 * pictureSize)
        }
    }

    // MARK: Restarting

    @Test(arguments: Factory.all) func `everything survives a restart`(stores: Factory) async throws {
        try await stores.withReopening { reopen in
            try await reopen().put(stored(1), at: url(1))
            let image = try await reopen().image(at: url(1))
            #expect(image == stored(1))
        }
    }
}
