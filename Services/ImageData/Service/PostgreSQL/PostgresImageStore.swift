import Foundation
import ImageData
import PostgresKit
import RPC

/// The bytes that were put, in a PostgreSQL database, which several services may serve.
struct PostgresImageStore: ImageStore {
    private let store: PostgresStore

    init(_ store: PostgresStore) { self.store = store }

    // MARK: Reading

    func image(at url: String) async throws -> StoredImage? {
        try await store.read { db in
            guard let row = try Self.rows([url], "\(Self.recordColumns), data", db).first else { return nil }
            let record = try ImageRecord(row: row)
            let image = StoredImage(record: record, data: try row.decode(6))
            guard Bytes(image.data, crc32: record.crc32).isIntact else { throw ImageStoreError.damaged(url: url) }
            return image
        }
    }

    func records(at urls: [String]) async throws -> [String: ImageRecord] {
        try await store.read { try Self.records(urls, $0) }
    }

    private static func records(_ urls: [String], _ db: PostgresConnection) throws -> [String: ImageRecord] {
        let records = try rows(urls, recordColumns, db).map {
            (try $0.decode(0, as: String.self), try ImageRecord(row: $0))
        }
        return Dictionary(records) { first, _ in first }
    }

    private static let recordColumns = "url, content_type, size, sha256, crc32, stored_at"

    private static func rows(_ urls: [String], _ columns: String, _ db: PostgresConnection) throws -> PostgresRows {
        try db.execute(
            "SELECT \(columns) FROM url JOIN content ON content.id = url.content WHERE url.url = ANY ($1)", .array(urls)
        )
    }

    func bytes() async throws -> Int {
        try await store.read { db in
            Int(
                try db.execute("SELECT coalesce(sum(size), 0)::bigint FROM content").first?.decode(0, as: Int64.self)
                    ?? 0)
        }
    }

    // MARK: Writing

    func put(_ image: StoredImage, at url: String) async throws {
        try await store.write(bytes: image.data.count) { db in
            let present = try Self.records([url], db)[url]
            guard present == nil || present?.hash == image.record.hash else {
                throw ImageStoreError.conflict(url: url)
            }
            let record = image.record
            // Writes the content unless it is already there undamaged.
            try db.execute(
                """
                INSERT INTO content (sha256, content_type, size, crc32, data) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (sha256) DO UPDATE
                SET content_type = excluded.content_type, size = excluded.size, crc32 = excluded.crc32,
                    data = excluded.data
                WHERE content.crc32 <> excluded.crc32 OR content.data <> excluded.data
                """, .value(record.hash.bytes), .value(record.contentType), .value(Int64(record.size)),
                .value(Int64(record.crc32)), .value(image.data))
            guard present == nil else { return }
            try db.execute(
                "INSERT INTO url (url, content, stored_at) SELECT $1, id, $3 FROM content WHERE sha256 = $2",
                .value(url),
                .value(record.hash.bytes), .value(Self.seconds(record.storedAt)))
        }
    }

    func evict(_ eviction: Eviction) async throws -> Evicted {
        try await store.write { db in
            let contents = try Self.forget(eviction, db)
            // Content that another URL names remains.
            let freed = try db.execute(
                """
                DELETE FROM content WHERE id = ANY ($1) AND NOT EXISTS (SELECT FROM url WHERE url.content = content.id)
                RETURNING size, sha256
                """, .array(contents)
            ).map { (size: try $0.decode(0, as: Int64.self), hash: ContentHash(try $0.decode(1))) }
            return Evicted(
                urls: contents.count, bytes: Int(freed.reduce(0) { $0 + $1.size }),
                freed: Set(freed.compactMap(\.hash)))
        }
    }

    /// Deletes URLs.
    /// - Returns: for each of them the content that it named.
    private static func forget(_ eviction: Eviction, _ db: PostgresConnection) throws -> [Int64] {
        let rows =
            switch eviction {
            case .urls(let urls):
                try db.execute("DELETE FROM url WHERE url = ANY ($1) RETURNING content", .array(urls))
            case .storedUpTo(let date):
                try db.execute("DELETE FROM url WHERE stored_at <= $1 RETURNING content", .value(seconds(date)))
            case .downTo(let bytes):
                // Adds up sizes from the most recently stored content on, and deletes those beyond the limit.
                try db.execute(
                    """
                    WITH named AS (
                        SELECT content.id, content.size, max(url.stored_at) AS latest
                        FROM url JOIN content ON content.id = url.content GROUP BY content.id
                    ), counted AS (
                        SELECT id, sum(size) OVER (ORDER BY latest DESC, id DESC) AS total FROM named
                    )
                    DELETE FROM url WHERE content IN (SELECT id FROM counted WHERE total > $1) RETURNING content
                    """, .value(Int64(bytes)))
            }
        return try rows.map { try $0.decode(0) }
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }
}

extension PostgresImageStore: CopiedImageStore {
    func urls(after url: String, limit: Int) async throws -> [String] {
        try await store.read { db in
            try db.execute(
                "SELECT url FROM url WHERE url > $1 ORDER BY url LIMIT $2", .value(url), .value(Int64(limit))
            ).map { try $0.decode(0) }
        }
    }
}

extension ImageRecord {
    /// - Parameter row: url, content_type, size, sha256, crc32 and stored_at, in this order.
    fileprivate init(row: PostgresRow) throws {
        guard let hash = ContentHash(try row.decode(3)), let crc32 = UInt32(exactly: try row.decode(4, as: Int64.self))
        else {
            throw PostgresError.undecodable
        }
        self.init(
            contentType: try row.decode(1), size: Int(try row.decode(2, as: Int64.self)), hash: hash, crc32: crc32,
            storedAt: Date(timeIntervalSince1970: Double(try row.decode(5, as: Int64.self))))
    }
}
