import Foundation
import GRDB
import ImageData
import RPCTestKit
import ServiceKit
import Testing

@testable import SQLiteKit
@testable import image_data_service

/// Comparing stored bytes with their hashes.
@Suite struct ImageVerifyingTests {
    private static func findings(
        _ content: VerifiedStore.Content, _ pool: DatabasePool, isRepair: Bool = false
    ) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        try content(.init(path: pool.path, reader: pool, writer: isRepair ? pool : nil)) { findings.append($0) }
        return findings
    }

    private static func repairs(_ findings: [StoreFinding]) -> [String?] {
        var repairs: [String?] = []
        for case .fault(let fault) in findings { repairs.append(fault.repair) }
        return repairs
    }

    @Test func `damaged bytes and variants of a cache are deleted on repair, and others stay`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteImageCache.opening.open(directory + "/cache.sqlite")
            let cache = SQLiteImageCache(pool, budget: 1_000_000)
            for number in 1...3 { try await cache.keep(cached(number), at: url(number)) }
            let variants = [320, 640].map { Variant(of: cached(1).image.record.hash, width: $0, format: .jpeg) }
            for variant in variants { try await cache.keep(stored(4), as: variant) }
            #expect(try Self.findings(SQLiteImageCache.verify, pool) == [])

            try await pool.write { db in
                try db.execute(sql: "UPDATE bytes SET data = x'00' WHERE id = 2")
                try db.execute(sql: "DELETE FROM bytes WHERE id = 3")
                try db.execute(sql: "UPDATE variant_bytes SET data = x'00' WHERE id = 2")
            }
            #expect(Self.repairs(try Self.findings(SQLiteImageCache.verify, pool)) == [nil, nil, nil])
            let repaired = try Self.findings(SQLiteImageCache.verify, pool, isRepair: true)
            #expect(Self.repairs(repaired) == ["deleted", "deleted", "deleted"])
            #expect(try Self.findings(SQLiteImageCache.verify, pool) == [])
            #expect(try await cache.image(at: url(1)) == cached(1))
            for number in 2...3 { #expect(try await cache.image(at: url(number)) == nil) }
            #expect(try await cache.variant(variants[0]) != nil)
            #expect(try await cache.variant(variants[1]) == nil)
            try pool.close()
        }
    }

    private static func scanned(_ pool: DatabasePool, _ checks: [RowCheck]) throws -> [String] {
        try pool.read { db in
            var (scan, findings) = (try StoreScan(db, checks), [String]())
            while let table = scan.table {
                let step = try scan.step(table, db) { false }
                findings += step.findings
                scan.advance(after: step)
            }
            return findings
        }
    }

    @Test func `the check in the background names the bytes that do not have their hash`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteImageStore.opening.open(directory + "/store.sqlite")
            let store = SQLiteImageStore(pool)
            for number in 1...3 { try await store.put(stored(number), at: url(number)) }
            #expect(try Self.scanned(pool, [SQLiteImageStore.intactBytes]) == [])
            try await pool.write { try $0.execute(sql: "UPDATE content SET data = zeroblob(size) WHERE id = 2") }
            let urn = stored(2).record.hash.urn
            #expect(try Self.scanned(pool, [SQLiteImageStore.intactBytes]) == ["the bytes of \(urn) are damaged"])
            try pool.close()

            let others = try SQLiteImageCache.opening.open(directory + "/cache.sqlite")
            let cache = SQLiteImageCache(others, budget: 1_000_000)
            try await cache.keep(cached(1), at: url(1))
            let variant = Variant(of: cached(1).image.record.hash, width: 320, format: .jpeg)
            try await cache.keep(stored(4), as: variant)
            #expect(try Self.scanned(others, SQLiteImageCache.intactBytes) == [])
            try await others.write { try $0.execute(sql: "UPDATE bytes SET data = x'00'") }
            try await others.write { try $0.execute(sql: "UPDATE variant_bytes SET data = x'00'") }
            let urns = [cached(1).image.record.hash.urn, stored(4).record.hash.urn]
            let findings = try Self.scanned(others, SQLiteImageCache.intactBytes)
            #expect(findings == urns.map { "the bytes of \($0) are damaged" })
            try others.close()
        }
    }

    @Test func `damaged bytes of a store are moved into a file on repair`() async throws {
        try await withTemporaryDirectory { directory in
            let pool = try SQLiteImageStore.opening.open(directory + "/store.sqlite")
            let store = SQLiteImageStore(pool)
            #expect(try Self.findings(SQLiteImageStore.verify, pool) == [.stored([])])
            for number in 1...2 { try await store.put(stored(number), at: url(number)) }
            let all = try Self.findings(SQLiteImageStore.verify, pool)
            #expect(all == [.stored([url(1), url(2)]), .stored([])])

            var bytes = picture(2)
            bytes[bytes.count / 2] ^= 1
            try await pool.write { [bytes] in
                try $0.execute(sql: "UPDATE content SET data = ? WHERE id = 2", arguments: [bytes])
            }
            #expect(Self.repairs(try Self.findings(SQLiteImageStore.verify, pool)) == [nil])
            #expect(Self.repairs(try Self.findings(SQLiteImageStore.verify, pool, isRepair: true)).count == 1)
            #expect(try Self.findings(SQLiteImageStore.verify, pool) == [.stored([url(1)]), .stored([])])
            let folder = directory + "/store.sqlite.damaged"
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            #expect(FileManager.default.contents(atPath: "\(folder)/\(file)") == bytes)
            // The same picture can be put again.
            try await store.put(stored(2), at: url(2))
            #expect(try await store.image(at: url(2)) == stored(2))
            try pool.close()
        }
    }
}
