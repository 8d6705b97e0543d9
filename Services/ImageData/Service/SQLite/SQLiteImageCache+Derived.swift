import EdgeModel
import Foundation
import GRDB
import ImageData
import RPC

extension SQLiteImageCache {
    // MARK: Variants

    func variant(_ variant: Variant) async throws -> StoredImage? {
        let image: StoredImage? = try await store.readApart { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT sha256, size, crc32, data FROM variant JOIN variant_bytes USING (id)
                    WHERE original = ? AND width = ? AND format = ?
                    """)
            guard let row = try Row.fetchOne(statement, arguments: Self.key(variant)) else { return nil }
            let (hash, crc32): (Data, Int64) = (try row.decode(atIndex: 0), try row.decode(atIndex: 2))
            guard let hash = ContentHash(hash), let crc32 = UInt32(exactly: crc32) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
            let data: Data = try row.decode(atIndex: 3)
            guard Bytes(data, crc32: crc32).isIntact else { throw ImageStoreError.damaged(url: variant.name) }
            let record = ImageRecord(
                contentType: variant.format.contentType, size: try row.decode(atIndex: 1), hash: hash, crc32: crc32,
                storedAt: .distantPast)
            return StoredImage(record: record, data: data)
        }
        if image != nil { touch(variant) }
        return image
    }

    func keep(_ image: StoredImage, as variant: Variant) async throws {
        guard image.data.count + ImageCacheSchema.variantOverhead <= budget else { return }
        let uses = takeUses()
        try await store.write { [budget] db in
            let use = try Self.write(uses, db)
            try db.cachedStatement(sql: "DELETE FROM variant WHERE original = ? AND width = ? AND format = ?")
                .execute(arguments: Self.key(variant))
            try db.cachedStatement(
                sql: """
                    INSERT INTO variant (original, width, format, sha256, size, crc32, used) VALUES (?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(
                arguments: Self.key(variant) + [
                    image.record.hash.bytes, image.data.count, Int64(image.record.crc32), use,
                ])
            try db.cachedStatement(sql: "INSERT INTO variant_bytes (id, data) VALUES (?, ?)")
                .execute(arguments: [db.lastInsertedRowID, image.data])
            try Self.shrink(to: budget, db)
        }
    }

    private static func key(_ variant: Variant) -> StatementArguments {
        [variant.original.bytes, variant.width, variant.format.rawValue]
    }

    // MARK: Facts

    func facts(of originals: Set<ContentHash>) async throws -> [ContentHash: PictureFacts] {
        try await store.readApart { db in
            let statement = try db.cachedStatement(
                sql: "SELECT width, height, frames, placeholder FROM facts WHERE original = ?")
            let facts = try originals.map { original in
                (original, try Row.fetchOne(statement, arguments: [original.bytes]).map(PictureFacts.init(row:)))
            }
            return Dictionary(uniqueKeysWithValues: facts).compactMapValues(\.self)
        }
    }

    func keep(_ facts: PictureFacts, of original: ContentHash) async throws {
        try await store.write { db in
            try db.cachedStatement(
                sql:
                    "INSERT OR REPLACE INTO facts (original, width, height, frames, placeholder) VALUES (?, ?, ?, ?, ?)"
            ).execute(
                arguments: [original.bytes, facts.width, facts.height, facts.frames, facts.placeholder?.bytes])
        }
    }

    func dropDerived(from originals: Set<ContentHash>) async throws {
        guard !originals.isEmpty else { return }
        try await store.write { db in
            for table in ["variant", "facts"] {
                let statement = try db.cachedStatement(
                    sql: """
                        DELETE FROM \(table)
                        WHERE original = ?1 AND NOT EXISTS (SELECT 1 FROM content WHERE sha256 = ?1)
                        """)
                for original in originals { try statement.execute(arguments: [original.bytes]) }
            }
        }
    }
}

extension PictureFacts {
    fileprivate init(row: Row) throws {
        let placeholder: Data? = try row.decode(atIndex: 3)
        self.init(
            width: try row.decode(atIndex: 0), height: try row.decode(atIndex: 1), frames: try row.decode(atIndex: 2),
            placeholder: placeholder.flatMap(Placeholder.init))
    }
}

extension Variant {
    /// For messages.
    var name: String { "\(original.urn) (\(width) pixels, \(format))" }
}
