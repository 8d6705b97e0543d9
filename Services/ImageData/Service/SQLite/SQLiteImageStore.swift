import Foundation
import GRDB
import ImageData
import RPC
import SQLiteKit

/// The bytes that were put, in one SQLite file. All operations run off the event loop: reading a blob takes time, and
/// waiting for a free reader would block the loop.
struct SQLiteImageStore: ImageStore {
    private let store: Store

    init(_ store: Store) { self.store = store }

    static let opening = StoreOpening(applicationID: "IFim", migrator: ImageSchema.migrator)

    // MARK: Reading

    func image(at url: String) async throws -> StoredImage? {
        try await store.readApart { db in
            guard let row = try Self.row(url, "\(Self.recordColumns), data", db) else { return nil }
            let record = try ImageRecord(row: row)
            let image = StoredImage(record: record, data: try row.decode(atIndex: 5))
            guard Bytes(image.data, crc32: record.crc32).isIntact else { throw ImageStoreError.damaged(url: url) }
            return image
        }
    }

    func records(at urls: [String]) async throws -> [String: ImageRecord] {
        try await store.readApart { db in
            let records = try urls.map { url in
                (url, try Self.row(url, Self.recordColumns, db).map { try ImageRecord(row: $0) })
            }
            return Dictionary(records) { first, _ in first }.compactMapValues(\.self)
        }
    }

    private static let recordColumns = "content_type, size, sha256, crc32, stored_at"

    private static func row(_ url: String, _ columns: String, _ db: Database) throws -> Row? {
        let statement = try db.cachedStatement(
            sql: "SELECT \(columns) FROM url JOIN content ON content.id = url.content WHERE url.url = ?")
        return try Row.fetchOne(statement, arguments: [url])
    }

    func bytes() async throws -> Int {
        try await store.readApart { try Int.fetchOne($0, sql: "SELECT coalesce(sum(size), 0) FROM content") ?? 0 }
    }

    // MARK: Writing

    func put(_ image: StoredImage, at url: String) async throws {
        try await store.write { db in
            let present = try Self.row(url, Self.recordColumns, db).map { try ImageRecord(row: $0) }
            guard present == nil || present?.hash == image.record.hash else {
                throw ImageStoreError.conflict(url: url)
            }
            let content = try Self.keep(image, db)
            guard present == nil else { return }
            try db.cachedStatement(sql: "INSERT INTO url (url, content, stored_at) VALUES (?, ?, ?)")
                .execute(arguments: [url, content, Self.seconds(image.record.storedAt)])
        }
    }

    /// - Returns: the row of the content, which is written unless it is already there undamaged.
    private static func keep(_ image: StoredImage, _ db: Database) throws -> Int64? {
        let record = image.record
        try db.cachedStatement(
            sql: """
                INSERT INTO content (sha256, content_type, size, crc32, data) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (sha256) DO UPDATE
                SET content_type = excluded.content_type, size = excluded.size, crc32 = excluded.crc32,
                    data = excluded.data
                WHERE crc32 IS NOT excluded.crc32 OR data IS NOT excluded.data
                """
        ).execute(arguments: [record.hash.bytes, record.contentType, record.size, Int64(record.crc32), image.data])
        return try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM content WHERE sha256 = ?"), arguments: [record.hash.bytes])
    }

    func evict(_ eviction: Eviction) async throws -> Evicted {
        try await store.write { db in
            let contents = try Self.forget(eviction, db)
            let freed = try Set(contents).compactMap { try Self.freeUnlessNamed($0, db) }
            return Evicted(
                urls: contents.count, bytes: freed.reduce(0) { $0 + $1.size }, freed: Set(freed.map(\.hash)))
        }
    }

    /// Deletes URLs.
    /// - Returns: for each of them the content that it named.
    private static func forget(_ eviction: Eviction, _ db: Database) throws -> [Int64] {
        switch eviction {
        case .urls(let urls):
            try urls.flatMap {
                try Int64.fetchAll(db, sql: "DELETE FROM url WHERE url = ? RETURNING content", arguments: [$0])
            }
        case .storedUpTo(let date):
            try Int64.fetchAll(
                db, sql: "DELETE FROM url WHERE stored_at <= ? RETURNING content", arguments: [seconds(date)])
        case .downTo(let bytes):
            // Adds up sizes from the most recently stored content on, and deletes those beyond the limit.
            try Int64.fetchAll(
                db,
                sql: """
                    WITH named AS (
                        SELECT content.id, content.size, max(url.stored_at) AS latest
                        FROM url JOIN content ON content.id = url.content GROUP BY content.id
                    ), counted AS (
                        SELECT id, sum(size) OVER (ORDER BY latest DESC, id DESC) AS total FROM named
                    )
                    DELETE FROM url WHERE content IN (SELECT id FROM counted WHERE total > ?) RETURNING content
                    """, arguments: [bytes])
        }
    }

    /// - Returns: nil if another URL names the content.
    private static func freeUnlessNamed(_ content: Int64, _ db: Database) throws -> (size: Int, hash: ContentHash)? {
        let freed = try Row.fetchOne(
            db,
            sql: """
                DELETE FROM content WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM url WHERE content = ?1)
                RETURNING size, sha256
                """, arguments: [content])
        return try freed.flatMap { row in
            let (size, hash): (Int, Data) = (try row.decode(atIndex: 0), try row.decode(atIndex: 1))
            return ContentHash(hash).map { (size, $0) }
        }
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }
}

extension SQLiteImageStore: CopiedImageStore {
    func urls(after url: String, limit: Int) async throws -> [String] {
        try await store.readApart { db in
            try String.fetchAll(
                db.cachedStatement(sql: "SELECT url FROM url WHERE url > ? ORDER BY url LIMIT ?"),
                arguments: [url, limit])
        }
    }
}
