import EdgeModel
import Foundation
import GRDB
import ImageData
import RPC
import SQLiteKit
import Synchronization

/// The cache of fetched bytes in one SQLite file.
final class SQLiteImageCache: ImageCache {
    let store: Store
    let budget: Int

    /// Uses that are not written yet; over the limit the oldest are dropped. They are written before each change, which may evict
    /// by them, and at shutdown.
    private let uses = Mutex(unwritten)
    private static let unwritten = LeastRecentlyUsed<UsedImage, Void>(budget: 4_096)

    static let opening = StoreOpening(applicationID: "IFic", migrator: ImageCacheSchema.migrator, isCache: true)

    /// The default budget in bytes.
    static let defaultBudget = 1_024 * 1_024 * 1_024

    /// The maximum number of contents that one query selects for eviction.
    private static let evictedAtOnce = 16

    init(_ store: Store, budget: Int) { (self.store, self.budget) = (store, budget) }

    // MARK: Reading

    func image(at url: String) async throws -> CachedImage? {
        let image: CachedImage? = try await store.readApart { db in
            guard let row = try Self.row(url, "\(Self.columns), data", "JOIN bytes USING (id)", db) else { return nil }
            let known = try CachedRecord(row: row)
            let image = StoredImage(record: known.record, data: try row.decode(atIndex: 8))
            guard Bytes(image.data, crc32: known.record.crc32).isIntact else {
                throw ImageStoreError.damaged(url: url)
            }
            return CachedImage(image, validators: known.validators)
        }
        if image != nil { touch(url) }
        return image
    }

    func records(at urls: [String]) async throws -> [String: CachedRecord] {
        try await store.readApart { db in
            let records = try urls.map { url in
                (url, try Self.row(url, Self.columns, "", db).map { try CachedRecord(row: $0) })
            }
            return Dictionary(records) { first, _ in first }.compactMapValues(\.self)
        }
    }

    func touch(_ url: String) { uses.withLock { $0.set((), for: .url(url), cost: 1) } }

    func touch(_ variant: Variant) { uses.withLock { $0.set((), for: .variant(variant), cost: 1) } }

    private static let columns = "content_type, size, sha256, crc32, stored_at, etag, last_modified, age"

    private static func row(_ url: String, _ columns: String, _ join: String, _ db: Database) throws -> Row? {
        let statement = try db.cachedStatement(
            sql: "SELECT \(columns) FROM url JOIN content ON content.id = url.content \(join) WHERE url.url = ?")
        return try Row.fetchOne(statement, arguments: [url])
    }

    // MARK: Writing

    func keep(_ image: CachedImage, at url: String) async throws {
        let cost = image.image.data.count + url.utf8.count + ImageCacheSchema.urlOverhead
        guard cost <= budget else {
            // The bytes that they replace are deleted too.
            _ = try await evict(.urls([url]))
            return
        }
        let uses = takeUses()
        try await store.write { [budget] db in
            let use = try Self.write(uses, db)
            let replaced = try Int64.fetchAll(
                db, sql: "DELETE FROM url WHERE url = ? RETURNING content", arguments: [url])
            let content = try Self.keep(image.image, used: use, db)
            for old in replaced where old != content { try Self.freeUnlessNamed(old, db) }
            try db.cachedStatement(
                sql: "INSERT INTO url (url, content, stored_at, etag, last_modified, age) VALUES (?, ?, ?, ?, ?, ?)"
            ).execute(arguments: [
                url, content, Self.seconds(image.image.record.storedAt), image.validators.etag,
                image.validators.lastModified, image.image.record.age,
            ])
            try Self.shrink(to: budget, db)
        }
    }

    /// Writes the uses that are only in memory.
    func writeUses() async {
        let uses = takeUses()
        // On failure, for example with a full disk, only the order of eviction is less exact.
        _ = try? await store.write { try Self.write(uses, $0) }
    }

    /// Takes the uses that are not written yet, in their order.
    func takeUses() -> [UsedImage] {
        uses.withLock { uses in
            defer { uses = Self.unwritten }
            return uses.oldestFirst.map(\.key)
        }
    }

    /// - Returns: the number of a use after these.
    @discardableResult
    static func write(_ uses: [UsedImage], _ db: Database) throws -> Int64 {
        let last = try db.cachedStatement(
            sql: """
                SELECT max((SELECT coalesce(max(used), 0) FROM content), (SELECT coalesce(max(used), 0) FROM variant))
                """)
        var use = (try Int64.fetchOne(last) ?? 0) + 1
        let content = try db.cachedStatement(
            sql: "UPDATE content SET used = ? WHERE id = (SELECT content FROM url WHERE url = ?)")
        let variant = try db.cachedStatement(
            sql: "UPDATE variant SET used = ? WHERE original = ? AND width = ? AND format = ?")
        for used in uses {
            switch used {
            case .url(let url): try content.execute(arguments: [use, url])
            case .variant(let key):
                try variant.execute(arguments: [use, key.original.bytes, key.width, key.format.rawValue])
            }
            use += 1
        }
        return use
    }

    /// - Returns: the row of the content. Its bytes are written unless they are already there undamaged.
    private static func keep(_ image: StoredImage, used: Int64, _ db: Database) throws -> Int64? {
        let record = image.record
        let content = try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    INSERT INTO content (sha256, content_type, size, crc32, used) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (sha256) DO UPDATE
                    SET content_type = excluded.content_type, crc32 = excluded.crc32, used = excluded.used
                    RETURNING id
                    """),
            arguments: [record.hash.bytes, record.contentType, record.size, Int64(record.crc32), used])
        try db.cachedStatement(
            sql: """
                INSERT INTO bytes (id, data) VALUES (?, ?)
                ON CONFLICT (id) DO UPDATE SET data = excluded.data WHERE data IS NOT excluded.data
                """
        ).execute(arguments: [content, image.data])
        return content
    }

    func evict(_ eviction: Eviction) async throws -> Evicted {
        let uses = takeUses()
        return try await store.write { db in
            try Self.write(uses, db)
            switch eviction {
            case .urls(let urls):
                return try Self.free(
                    urls.flatMap {
                        try Int64.fetchAll(db, sql: "DELETE FROM url WHERE url = ? RETURNING content", arguments: [$0])
                    }, db)
            case .storedUpTo(let date):
                return try Self.free(
                    Int64.fetchAll(
                        db, sql: "DELETE FROM url WHERE stored_at <= ? RETURNING content",
                        arguments: [Self.seconds(date)]), db)
            case .downTo(let bytes): return try Self.shrink(to: bytes, db)
            }
        }
    }

    /// - Parameter contents: the contents of deleted URLs.
    private static func free(_ contents: [Int64], _ db: Database) throws -> Evicted {
        let bytes = try Set(contents).reduce(0) { try $0 + freeUnlessNamed($1, db) }
        return Evicted(urls: contents.count, bytes: bytes)
    }

    @discardableResult
    private static func freeUnlessNamed(_ content: Int64, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    DELETE FROM content WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM url WHERE content = ?1)
                    RETURNING size
                    """), arguments: [content]) ?? 0
    }

    /// Evicts the least recently used contents with all their URLs, and the least recently used variants, until the total is
    /// within the budget. A variant's use is also one of its original, so it is evicted first.
    @discardableResult
    static func shrink(to budget: Int, _ db: Database) throws -> Evicted {
        var (urls, bytes) = (0, 0)
        while try Int.fetchOne(db.cachedStatement(sql: "SELECT total FROM weight")) ?? 0 > budget {
            let oldest = try ["content", "variant"].flatMap { table in
                try Row.fetchAll(
                    db.cachedStatement(
                        sql: "SELECT id, size, used, '\(table)' FROM \(table) ORDER BY used LIMIT \(evictedAtOnce)"))
            }
            guard !oldest.isEmpty else { break }
            // Beyond the first ones the other table may have older rows.
            for row in oldest.sorted(by: { ($0[2] as Int64) < ($1[2] as Int64) }).prefix(evictedAtOnce) {
                guard try Int.fetchOne(db.cachedStatement(sql: "SELECT total FROM weight")) ?? 0 > budget else { break }
                let content: Int64 = row[0]
                guard row[3] == "content" else {
                    try db.cachedStatement(sql: "DELETE FROM variant WHERE id = ?").execute(arguments: [content])
                    continue
                }
                try db.cachedStatement(sql: "DELETE FROM url WHERE content = ?").execute(arguments: [content])
                urls += db.changesCount
                try db.cachedStatement(sql: "DELETE FROM content WHERE id = ?").execute(arguments: [content])
                bytes += row[1]
            }
        }
        return Evicted(urls: urls, bytes: bytes)
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }
}

/// What a use is recorded of.
enum UsedImage: Hashable {
    case url(String)
    case variant(Variant)
}

extension CachedRecord {
    fileprivate init(row: Row) throws {
        self.init(
            try ImageRecord(row: row, age: try row.decode(atIndex: 7)),
            validators: AnswerValidators(etag: try row.decode(atIndex: 5), lastModified: try row.decode(atIndex: 6)))
    }
}
