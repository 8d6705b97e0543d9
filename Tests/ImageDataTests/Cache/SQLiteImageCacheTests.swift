import Foundation
import GRDB
import ImageData
import RPC
import RPCTestKit
import SQLiteKit
import Testing

@testable import image_data_service

/// Tests of the SQLite cache only.
@Suite struct SQLiteImageCacheTests {
    @Test func `a flipped byte is detected, and storing the bytes again repairs it`() async throws {
        try await withCache { cache, pool in
            try await cache.keep(cached(1), at: url(1))
            try await cache.keep(cached(1), at: url(2))
            for index in [0, pictureSize / 2, pictureSize - 1] {
                var bytes = picture(1)
                bytes[index] ^= 0x10
                try await pool.write { [bytes] in try $0.execute(sql: "UPDATE bytes SET data = ?", arguments: [bytes]) }
                for url in [url(1), url(2)] {
                    await #expect(throws: ImageStoreError.damaged(url: url)) { try await cache.image(at: url) }
                }
                #expect(try await cache.record(at: url(1)) == CachedRecord(cached(1)))

                try await cache.keep(cached(1), at: url(2))
                for url in [url(1), url(2)] { #expect(try await cache.image(at: url) == cached(1)) }
            }
        }
    }

    @Test func `a wrong checksum is repaired too`() async throws {
        try await withCache { cache, pool in
            try await cache.keep(cached(1), at: url(1))
            try await pool.write { try $0.execute(sql: "UPDATE content SET crc32 = crc32 + 1") }
            await #expect(throws: ImageStoreError.damaged(url: url(1))) { try await cache.image(at: url(1)) }
            try await cache.keep(cached(1), at: url(1))
            #expect(try await cache.image(at: url(1)) == cached(1))
        }
    }

    @Test(arguments: [
        "UPDATE content SET crc32 = 4294967296", "UPDATE content SET crc32 = -1", "UPDATE content SET sha256 = x'00'",
        "UPDATE content SET content_type = ''", "UPDATE content SET size = 0", "UPDATE url SET url = ''",
        "UPDATE url SET content = 7", "UPDATE url SET stored_at = 'yesterday'", "INSERT INTO bytes VALUES (7, x'00')",
    ])
    func `the schema rejects invalid rows`(statement: String) async throws {
        try await withCache { cache, pool in
            try await cache.keep(cached(1), at: url(1))
            await #expect(throws: DatabaseError.self) { try await pool.write { try $0.execute(sql: statement) } }
        }
    }

    @Test(arguments: UInt64(1)...5) func `the total weight equals the sum of all rows after random operations`(
        seed: UInt64
    ) async throws {
        var random = SeededRandom(seed: seed)
        let budget = 6 * pictureWeight
        try await withCache(budget: budget) { cache, pool in
            for _ in 0..<200 {
                let number = Int.random(in: 1...12, using: &random)
                let url = url(Int.random(in: 1...12, using: &random)) + (number > 10 ? "/ä" : "")
                switch Int.random(in: 0..<16, using: &random) {
                case 12..<15:
                    let variant = Variant(of: stored(number).record.hash, width: 320, format: .webp)
                    try await cache.keep(stored(number + 1), as: variant)
                case 15: try await cache.dropDerived(from: [stored(number).record.hash])
                case 0..<7: try await cache.keep(cached(number, at: Double(number)), at: url)
                case 7: cache.touch(url)
                case 8: _ = try await cache.image(at: url)
                case 9: _ = try await cache.evict(.urls([url]))
                case 10: _ = try await cache.evict(.storedUpTo(moment(Double.random(in: 0...3, using: &random))))
                default:
                    _ = try await cache.evict(
                        .downTo(bytes: Int.random(in: 4 * pictureWeight...budget, using: &random)))
                }
                let (total, sum) = try await pool.read { db in
                    (
                        try Int.fetchOne(db, sql: "SELECT total FROM weight"),
                        try Int.fetchOne(
                            db,
                            sql: """
                                SELECT (SELECT coalesce(sum(length(data)), 0) FROM bytes)
                                    + (SELECT coalesce(sum(length(CAST(url AS BLOB)) + ?), 0) FROM url)
                                    + (SELECT coalesce(sum(length(data) + ?), 0) FROM variant_bytes)
                                """, arguments: [ImageCacheSchema.urlOverhead, ImageCacheSchema.variantOverhead])
                    )
                }
                #expect(total == sum)
                #expect(sum.map { $0 <= budget } == true)
                // No content is left without a URL.
                #expect(
                    try await pool.read {
                        try Int.fetchOne(
                            $0, sql: "SELECT count(*) FROM content WHERE id NOT IN (SELECT content FROM url)")
                    } == 0)
            }
        }
    }

    @Test func `pending uses are written at shutdown`() async throws {
        try await withTemporaryDirectory { directory in
            let budget = 2 * pictureWeight
            func with(_ body: (SQLiteImageCache) async throws -> Void) async throws {
                let pool = try SQLiteImageCache.opening.open(directory + "/cache.sqlite")
                try await body(SQLiteImageCache(pool, budget: budget))
                try pool.close()
            }
            try await with { cache in
                for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
                cache.touch(url(1))
                await cache.writeUses()
            }
            try await with { cache in
                try await cache.keep(cached(3), at: url(3))
                #expect(try await cache.record(at: url(1)) != nil)
                #expect(try await cache.record(at: url(2)) == nil)
            }
        }
    }

    @Test func `a use is written once, and does not replace a later one`() async throws {
        try await withCache(budget: 2 * pictureWeight) { cache, _ in
            for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
            cache.touch(url(1))
            await cache.writeUses()
            for number in [2, 1] { try await cache.keep(cached(number), at: url(number)) }
            await cache.writeUses()
            try await cache.keep(cached(3), at: url(3))
            #expect(try await cache.record(at: url(1)) != nil)
            #expect(try await cache.record(at: url(2)) == nil)
        }
    }

    @Test func `the largest image that an operator may allow is stored`() async throws {
        let size = 32 * 1_024 * 1_024
        let data = picture(1) + Data(count: size - pictureSize)
        let image = CachedImage(StoredImage(try ImageDataMapper(maximumBytes: size).map(data), storedAt: moment(0)))
        try await withCache(budget: SQLiteImageCache.defaultBudget) { cache, _ in
            try await cache.keep(image, at: url(1))
            #expect(try await cache.image(at: url(1)) == image)
        }
    }

    @Test func `the default budget`() { #expect(SQLiteImageCache.defaultBudget == 1_073_741_824) }

    @Test func `the number of pending uses is limited`() async throws {
        try await withCache { cache, _ in
            for number in 1...2 { try await cache.keep(cached(number), at: url(number)) }
            cache.touch(url(1))
            for number in 10..<20_000 { cache.touch(url(number)) }
            try await cache.keep(cached(3), at: url(3))
            #expect(try await cache.image(at: url(1)) != nil)
        }
    }

    @Test func `a cache of version 1 keeps its images, and can store variants and facts`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/cache.sqlite"
            let opening = SQLiteImageCache.opening
            let old = StoreOpening(applicationID: opening.applicationID, migrator: DatabaseMigrator(), isCache: true)
            let pool = try old.open(path)
            try opening.migrator.migrate(pool, upTo: "1 URLs, contents and their weight")
            let record = stored(1, at: 5).record
            try await insert(stored(1, at: 5), into: pool)
            let weight = try await pool.read { try Int.fetchOne($0, sql: "SELECT total FROM weight") }
            try pool.close()

            let migrated = try opening.open(path)
            let cache = SQLiteImageCache(migrated, budget: 1_000_000)
            let image = try await cache.image(at: url(1))
            #expect(image?.image == stored(1, at: 5) && image?.validators.etag == "\"1\"")
            #expect(try await migrated.read { try Int.fetchOne($0, sql: "SELECT total FROM weight") } == weight)
            let variant = Variant(of: record.hash, width: 320, format: .webp)
            let facts = PictureFacts(width: 16, height: 12, frames: 1)
            try await cache.keep(stored(2), as: variant)
            try await cache.keep(facts, of: record.hash)
            #expect(try await cache.variant(variant)?.data == picture(2))
            #expect(try await cache.facts(of: record.hash) == facts)
            // The eviction of an image from version 1 drops what was made of it.
            _ = try await cache.evict(.urls([url(1)]))
            #expect(try await cache.variant(variant) == nil)
            #expect(try await cache.facts(of: record.hash) == nil)
            #expect(try await migrated.read { try Int.fetchOne($0, sql: "SELECT total FROM weight") } == 0)
            try migrated.close()
        }
    }

    @Test func `a cache of version 2 keeps its images, and makes their variants and facts again`() async throws {
        try await withTemporaryDirectory { directory in
            let opening = SQLiteImageCache.opening
            let old = StoreOpening(applicationID: opening.applicationID, migrator: DatabaseMigrator(), isCache: true)
            let pool = try old.open(directory + "/cache.sqlite")
            try opening.migrator.migrate(pool, upTo: "2 variants and facts")
            try await insert(stored(1), into: pool)
            let cache = SQLiteImageCache(pool, budget: 1_000_000)
            let weight = try await pool.read { try Int.fetchOne($0, sql: "SELECT total FROM weight") }
            let original = cached(1).image.record.hash
            let variant = Variant(of: original, width: 320, format: .webp)
            try await cache.keep(stored(2), as: variant)
            try await cache.keep(PictureFacts(width: 16, height: 12, frames: 1), of: original)
            try pool.close()

            let migrated = try opening.open(directory + "/cache.sqlite")
            let renewed = SQLiteImageCache(migrated, budget: 1_000_000)
            #expect(try await renewed.image(at: url(1))?.image == stored(1))
            #expect(try await renewed.variant(variant) == nil)
            #expect(try await renewed.facts(of: original) == nil)
            #expect(try await migrated.read { try Int.fetchOne($0, sql: "SELECT total FROM weight") } == weight)
            try migrated.close()
        }
    }

    /// Stores an image at the first URL as versions 1 to 3 did.
    private func insert(_ image: StoredImage, into pool: DatabasePool) async throws {
        let record = image.record
        try await pool.write { db in
            try db.execute(
                sql: "INSERT INTO content VALUES (7, ?, ?, ?, ?, 3)",
                arguments: [record.hash.bytes, record.contentType, record.size, Int64(record.crc32)])
            try db.execute(sql: "INSERT INTO bytes VALUES (7, ?)", arguments: [image.data])
            let time = Int64(record.storedAt.timeIntervalSince1970)
            try db.execute(sql: "INSERT INTO url VALUES (?, 7, ?, '\"1\"', NULL)", arguments: [url(1), time])
        }
    }

    private func withCache(
        budget: Int = 1_000_000, _ body: (SQLiteImageCache, DatabasePool) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteImageCache.opening.open(directory + "/cache.sqlite")
            try await body(SQLiteImageCache(pool, budget: budget), pool)
        }
    }
}
