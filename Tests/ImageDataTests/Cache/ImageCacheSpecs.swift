import EdgeModel
import Foundation
import ImageData
import RPCTestKit
import Testing

@testable import image_data_service

extension StoreFactory<any ImageCache> {
    /// All caches.
    static let all = all(budget: 1_000_000)

    /// Caches with a budget for this many images, each with its own URL.
    static func all(pictures: Int) -> [StoreFactory] { all(budget: pictures * pictureWeight) }

    private static func all(budget: Int) -> [StoreFactory] {
        [
            StoreFactory("SQLite on disk") {
                SQLiteImageCache(try SQLiteImageCache.opening.open($0 + "/cache.sqlite"), budget: budget)
            }
        ]
    }
}

/// The size that an image with its URL counts against a budget.
let pictureWeight = pictureSize + url(1).utf8.count + ImageCacheSchema.urlOverhead

func cached(_ number: Int, at time: TimeInterval = 0, _ validators: AnswerValidators = AnswerValidators())
    -> CachedImage
{
    CachedImage(stored(number, at: time), validators: validators)
}

/// The specs of every cache of images.
@Suite struct ImageCacheSpecs {
    typealias Factory = StoreFactory<any ImageCache>

    private static let validators = AnswerValidators(etag: "\"1\"", lastModified: "Sat, 01 Nov 2025 12:00:00 GMT")

    // MARK: Storing

    @Test(arguments: Factory.all) func `an empty cache has nothing`(caches: Factory) async throws {
        try await caches.withStore { cache in
            let image = try await cache.image(at: url(1))
            #expect(image == nil)
            #expect(try await cache.record(at: url(1)) == nil)
            for eviction in [Eviction.urls([url(1)]), .storedUpTo(moment(0)), .downTo(bytes: 0)] {
                #expect(try await cache.evict(eviction) == Evicted(urls: 0, bytes: 0))
            }
        }
    }

    @Test(arguments: Factory.all, [AnswerValidators(), validators]) func `bytes are read as they were stored`(
        caches: Factory, validators: AnswerValidators
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep(cached(1, validators), at: url(1))
            #expect(try await cache.image(at: url(1)) == cached(1, validators))
            #expect(try await cache.record(at: url(1)) == CachedRecord(cached(1, validators)))
            #expect(try await cache.image(at: url(2)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `bytes keep the age that their upstream stated`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep(CachedImage(stored(1, age: 90)), at: url(1))
            #expect(try await cache.image(at: url(1))?.image.record.age == 90)
            #expect(try await cache.record(at: url(1))?.record.age == 90)
        }
    }

    @Test(arguments: Factory.all) func `new bytes replace the earlier ones`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep(cached(1, at: 0, Self.validators), at: url(1))
            try await cache.keep(cached(2, at: 5), at: url(1))
            #expect(try await cache.image(at: url(1)) == cached(2, at: 5))
            // The earlier bytes are deleted.
            #expect(try await cache.evict(.downTo(bytes: 0)) == Evicted(urls: 1, bytes: pictureSize))
        }
    }

    @Test(arguments: Factory.all) func `storing the same bytes again renews them`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep(cached(1, at: 0), at: url(1))
            try await cache.keep(cached(1, at: 5, Self.validators), at: url(1))
            #expect(try await cache.image(at: url(1)) == cached(1, at: 5, Self.validators))
            #expect(try await cache.evict(.downTo(bytes: 0)) == Evicted(urls: 1, bytes: pictureSize))
        }
    }

    @Test(arguments: Factory.all) func `a URL need not be in ASCII`(caches: Factory) async throws {
        try await caches.withStore { cache in
            try await cache.keep(cached(1), at: "https://εικόνες.example/ä")
            #expect(try await cache.image(at: "https://εικόνες.example/ä") == cached(1))
        }
    }

    // MARK: Shared content

    @Test(arguments: Factory.all) func `URLs of one content each have their own time and validators`(caches: Factory)
        async throws
    {
        try await caches.withStore { cache in
            try await cache.keep(cached(1, at: 0), at: url(1))
            try await cache.keep(cached(1, at: 60, Self.validators), at: url(2))
            #expect(try await cache.image(at: url(1)) == cached(1, at: 0))
            #expect(try await cache.image(at: url(2)) == cached(1, at: 60, Self.validators))
        }
    }

    @Test(arguments: Factory.all) func `content is deleted with its last URL`(caches: Factory) async throws {
        try await caches.withStore { cache in
            for number in 1...3 { try await cache.keep(cached(1), at: url(number)) }
            try await cache.keep(cached(2), at: url(1))
            #expect(try await cache.image(at: url(2)) == cached(1))
            #expect(try await cache.evict(.urls([url(2), url(9)])) == Evicted(urls: 1, bytes: 0))
            #expect(try await cache.evict(.urls([url(3), url(3)])) == Evicted(urls: 1, bytes: pictureSize))
            #expect(try await cache.image(at: url(1)) == cached(2))
        }
    }

    // MARK: Evicting

    @Test(arguments: Factory.all) func `bytes are evicted by age`(caches: Factory) async throws {
        try await caches.withStore { cache in
            for (number, time) in [(1, 0.0), (2, 1), (3, 2)] {
                try await cache.keep(cached(number, at: time), at: url(number))
            }
            let evicted = try await cache.evict(.older(than: 10, now: moment(11)))
            #expect(evicted == Evicted(urls: 2, bytes: 2 * pictureSize))
            #expect(try await cache.image(at: url(3)) == cached(3, at: 2))
        }
    }

    @Test(arguments: Factory.all, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
    func `the least recently used bytes are evicted until the rest fits`(
        caches: Factory, expected: (room: Int, left: Int)
    ) async throws {
        try await caches.withStore { cache in
            for number in 1...3 { try await cache.keep(cached(number), at: url(number)) }
            let gone = 3 - expected.left
            let evicted = try await cache.evict(.downTo(bytes: expected.room * pictureWeight))
            #expect(evicted == Evicted(urls: gone, bytes: gone * pictureSize))
            for number in 1...3 {
                #expect((try await cache.record(at: url(number)) != nil) == (number > gone))
            }
        }
    }

    @Test(arguments: Factory.all) func `one byte less than the size is too small`(caches: Factory) async throws {
        try await caches.withStore { cache in
            for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
            let evicted = try await cache.evict(.downTo(bytes: 2 * pictureWeight - 1))
            #expect(evicted == Evicted(urls: 1, bytes: pictureSize))
        }
    }

    @Test(arguments: Factory.all) func `content is evicted with all its URLs`(caches: Factory) async throws {
        try await caches.withStore { cache in
            for number in 1...3 { try await cache.keep(cached(1), at: url(number)) }
            try await cache.keep(cached(2), at: url(4))
            #expect(try await cache.evict(.downTo(bytes: pictureWeight)) == Evicted(urls: 3, bytes: pictureSize))
            #expect(try await cache.image(at: url(4)) == cached(2))
        }
    }

    // MARK: The budget

    @Test(arguments: Factory.all(pictures: 2)) func `within the budget nothing is evicted`(caches: Factory) async throws
    {
        try await caches.withStore { cache in
            for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
            try await expect([1, 2], in: cache)
            try await cache.keep(cached(3), at: url(3))
            try await expect([2, 3], in: cache)
        }
    }

    @Test(arguments: Factory.all(pictures: 2), [true, false]) func `used bytes are not evicted`(
        caches: Factory, isTouched: Bool
    ) async throws {
        try await caches.withStore { cache in
            for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
            if isTouched { cache.touch(url(1)) } else { _ = try await cache.image(at: url(1)) }
            try await cache.keep(cached(3), at: url(3))
            try await expect([1, 3], in: cache)
        }
    }

    @Test(arguments: Factory.all(pictures: 2)) func `reading metadata does not mark bytes as used`(caches: Factory)
        async throws
    {
        try await caches.withStore { cache in
            for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
            _ = try await cache.record(at: url(1))
            try await cache.keep(cached(3), at: url(3))
            try await expect([2, 3], in: cache)
        }
    }

    @Test(arguments: Factory.all(pictures: 2)) func `storing bytes again marks them as used`(caches: Factory)
        async throws
    {
        try await caches.withStore { cache in
            for number in [1, 2, 1, 3] { try await cache.keep(cached(number), at: url(number)) }
            try await expect([1, 3], in: cache)
        }
    }

    @Test(arguments: Factory.all(pictures: 1), [true, false]) func `bytes larger than the budget are not stored`(
        caches: Factory, fits: Bool
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep(cached(1), at: url(1))
            let longer = fits ? url(2) : url(2) + "0"
            try await cache.keep(cached(2), at: longer)
            #expect(try await cache.record(at: longer).map { _ in fits } ?? !fits)
            #expect((try await cache.record(at: url(1)) == nil) == fits)
        }
    }

    @Test(arguments: Factory.all(pictures: 1)) func `bytes that are not stored delete the earlier ones`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache in
            try await cache.keep(cached(1), at: url(1))
            let data = picture(2) + Data([0])
            let larger = StoredImage(
                record: ImageRecord(
                    contentType: "image/png", size: data.count, hash: ContentHash(of: data), crc32: 0,
                    storedAt: moment(0)), data: data)
            try await cache.keep(CachedImage(larger), at: url(1))
            #expect(try await cache.image(at: url(1)) == nil)
        }
    }

    // MARK: Variants and facts

    private static func key(_ number: Int, _ width: Int = 320) -> Variant {
        Variant(of: stored(number).record.hash, width: width, format: .png)
    }

    private static func made(_ number: Int) -> StoredImage { stored(number).stored(at: .distantPast) }

    /// The size of a variant against the budget.
    private static let variantWeight = pictureSize + ImageCacheSchema.variantOverhead

    @Test(arguments: Factory.all) func `a variant is read as it was stored, and replaced`(caches: Factory) async throws
    {
        try await caches.withStore { cache async throws in
            #expect(try await cache.variant(Self.key(1)) == nil)
            for number in [2, 3] {
                try await cache.keep(stored(number, at: 7), as: Self.key(1))
                #expect(try await cache.variant(Self.key(1)) == Self.made(number))
            }
            #expect(try await cache.variant(Self.key(1, 640)) == nil)
            #expect(try await cache.variant(Variant(of: Self.key(1).original, width: 320, format: .webp)) == nil)
        }
    }

    @Test(arguments: Factory.all) func `variants and facts leave with their original, and no earlier`(
        caches: Factory
    ) async throws {
        let facts = PictureFacts(width: 9, height: 8, frames: 1)
        try await caches.withStore { cache async throws in
            for url in [url(1), url(2)] { try await cache.keep(cached(1), at: url) }
            for number in [1, 5] {
                try await cache.keep(stored(7), as: Self.key(number))
                try await cache.keep(facts, of: Self.key(number).original)
            }
            #expect(try await cache.evict(.urls([url(1)])) == Evicted(urls: 1, bytes: 0))
            #expect(try await cache.variant(Self.key(1)) != nil)
            #expect(try await cache.evict(.urls([url(2)])) == Evicted(urls: 1, bytes: pictureSize))
            #expect(try await cache.variant(Self.key(1)) == nil)
            #expect(try await cache.facts(of: Self.key(1).original) == nil)
            // That original is stored elsewhere.
            #expect(try await cache.variant(Self.key(5)) != nil)
            #expect(try await cache.facts(of: Self.key(5).original) == facts)
        }
    }

    @Test(arguments: Factory.all) func `derived data of originals that were stored elsewhere is dropped`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache async throws in
            for number in 1...3 {
                try await cache.keep(stored(7), as: Self.key(number))
                try await cache.keep(PictureFacts(width: 1, height: 1, frames: 1), of: Self.key(number).original)
            }
            try await cache.dropDerived(from: [Self.key(1).original])
            #expect(try await cache.variant(Self.key(1)) == nil)
            #expect(try await cache.facts(of: Self.key(1).original) == nil)
            #expect(try await cache.variant(Self.key(2)) != nil)
            // The third is here too.
            try await cache.keep(cached(3), at: url(3))
            try await cache.dropDerived(from: [Self.key(2).original, Self.key(3).original])
            #expect(try await cache.variant(Self.key(2)) == nil)
            #expect(try await cache.variant(Self.key(3)) != nil)
            #expect(try await cache.facts(of: Self.key(3).original) != nil)
        }
    }

    @Test(arguments: Factory.all) func `facts are replaced`(caches: Factory) async throws {
        try await caches.withStore { cache async throws in
            let hash = Self.key(1).original
            #expect(try await cache.facts(of: hash) == nil)
            for placeholder in [nil, Placeholder(Data([0x11, 1, 2, 3]))] {
                let facts = PictureFacts(width: 9, height: 8, frames: 2, placeholder: placeholder)
                try await cache.keep(facts, of: hash)
                #expect(try await cache.facts(of: hash) == facts)
            }
        }
    }

    @Test(arguments: Factory.all(pictures: 3))
    func `variants count against the budget, and the least recently used leave`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache async throws in
            let most = 3 * pictureWeight / Self.variantWeight
            for number in 1...most { try await cache.keep(stored(99), as: Self.key(number)) }
            cache.touch(Self.key(1))
            try await cache.keep(stored(99), as: Self.key(50))
            #expect(try await cache.variant(Self.key(1)) != nil)
            #expect(try await cache.variant(Self.key(2)) == nil)
            #expect(try await cache.variant(Self.key(50)) != nil)
            // New images replace variants that were not used since.
            for number in 1...3 { try await cache.keep(cached(number), at: url(number)) }
            for number in 1...most { #expect(try await cache.variant(Self.key(number)) == nil) }
            for number in 1...3 { #expect(try await cache.record(at: url(number)) != nil) }
        }
    }

    @Test(arguments: Factory.all(pictures: 3)) func `a variant leaves before its original, which is used with it`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache async throws in
            try await cache.keep(cached(1), at: url(1))
            try await cache.keep(cached(2), at: url(2))
            try await cache.keep(stored(99), as: Self.key(1))
            cache.touch(url(1))
            // The other image is the least recently used.
            try await cache.keep(cached(3), at: url(3))
            #expect(try await cache.record(at: url(2)) == nil)
            #expect(try await cache.variant(Self.key(1)) != nil)
            cache.touch(url(1))
            cache.touch(url(3))
            // Uses: the variant, 1, 3. Only the variant has to leave.
            try await cache.keep(cached(4), at: url(4))
            #expect(try await cache.variant(Self.key(1)) == nil)
            #expect(try await cache.record(at: url(1)) != nil)
        }
    }

    @Test(arguments: Factory.all(pictures: 1)) func `a variant larger than the budget is not stored`(
        caches: Factory
    ) async throws {
        try await caches.withStore { cache async throws in
            let data = Data(count: pictureWeight)
            let large = StoredImage(record: stored(1).record, data: data)
            try await cache.keep(large, as: Self.key(1))
            #expect(try await cache.variant(Self.key(1)) == nil)
        }
    }

    // MARK: Restarting

    @Test(arguments: Factory.all) func `everything survives a restart`(caches: Factory) async throws {
        try await caches.withReopening { reopen in
            try await reopen().keep(cached(1, at: 3, Self.validators), at: url(1))
            #expect(try await reopen().image(at: url(1)) == cached(1, at: 3, Self.validators))
        }
    }

    @Test(arguments: Factory.all(pictures: 3)) func `uses survive a restart`(caches: Factory) async throws {
        try await caches.withReopening { reopen in
            let cache = try reopen()
            for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
            cache.touch(url(1))
            // A write also writes the pending uses.
            try await cache.keep(cached(3), at: url(3))
            let reopened = try reopen()
            try await reopened.keep(cached(4), at: url(4))
            try await expect([1, 3, 4], in: reopened)
        }
    }

    private func expect(_ numbers: Set<Int>, in cache: any ImageCache) async throws {
        for number in 1...5 {
            let record = try await cache.record(at: url(number))
            #expect((record != nil) == numbers.contains(number), "picture \(number)")
        }
    }
}
