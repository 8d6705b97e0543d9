import Foundation
import GRDB
import Glibc
import ImageData
import SQLiteKit
import ServiceKit

extension SQLiteImageStore {
    /// Compares all bytes with their hashes, and reports the URLs. Repair moves damaged bytes into a file, so that they can be put again.
    static func verify(_ store: VerifiedStore.Access, report: (StoreFinding) throws -> Void) throws {
        try StoredBytes(key: "id", columns: "sha256, data", tables: "content").verify(store.reader) { id, hash, data in
            let repair = try store.writer.map { writer in
                let file = try setAside(data, hash, beside: store.path)
                try writer.write { db in
                    try db.execute(sql: "DELETE FROM url WHERE content = ?", arguments: [id])
                    try db.execute(sql: "DELETE FROM content WHERE id = ?", arguments: [id])
                }
                return "moved to \(file); import the picture again"
            }
            let reason = "the bytes of \(hash.urn) are damaged"
            try report(.fault(StoreFinding.Fault(store: store.path, reason: reason, repair: repair)))
        }
        var last: String? = ""
        // At least one list, which may be empty.
        while let start = last {
            let urls = try store.reader.read { db in
                try String.fetchAll(
                    db, sql: "SELECT url FROM url WHERE url > ? ORDER BY url LIMIT 1000", arguments: [start])
            }
            try report(.stored(urls))
            last = urls.last
        }
    }

    /// - Returns: the path of the file.
    private static func setAside(_ data: Data, _ hash: ContentHash, beside path: String) throws -> String {
        let folder = path + ".damaged"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = "\(folder)/\(hash.bytes.hexadecimal)"
        try data.write(to: URL(filePath: file), options: .atomic)
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.EIO) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError(.EIO) }
        return file
    }
}

extension SQLiteImageCache {
    /// Compares all bytes with their hashes. Repair deletes damaged ones, which are fetched or made again.
    static func verify(_ store: VerifiedStore.Access, report: (StoreFinding) throws -> Void) throws {
        for (table, what) in [("content", "bytes"), ("variant", "variant")] {
            let bytes = StoredBytes(
                key: "\(table).id", columns: "sha256, data",
                tables: "\(table) LEFT JOIN \(what == "bytes" ? "bytes" : "variant_bytes") USING (id)")
            try bytes.verify(store.reader) { id, hash, _ in
                let repair = try store.writer.map { writer in
                    try writer.write { try $0.execute(sql: "DELETE FROM \(table) WHERE id = ?", arguments: [id]) }
                    return "deleted"
                }
                let reason = "the \(what) \(hash.urn) \(what == "bytes" ? "are" : "is") damaged"
                try report(.fault(StoreFinding.Fault(store: store.path, reason: reason, repair: repair)))
            }
        }
    }
}

/// The rows of a table that have bytes and their hash.
private struct StoredBytes {
    let key: String
    let columns: String
    let tables: String

    /// Reads one row in each transaction, so that a writer's journal does not grow.
    func verify(
        _ reader: any DatabaseReader, damaged: (_ id: Int64, _ hash: ContentHash, _ data: Data) throws -> Void
    ) throws {
        var last = Int64.min
        while true {
            let row = try reader.read { db in
                try Row.fetchOne(
                    db.cachedStatement(
                        sql: "SELECT \(key), \(columns) FROM \(tables) WHERE \(key) > ? ORDER BY \(key) LIMIT 1"),
                    arguments: [last])
            }
            guard let row else { return }
            last = row[0]
            let data = row[2] as Data? ?? Data()
            guard let hash = ContentHash(row[1] as Data) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            if ContentHash(of: data) != hash { try damaged(last, hash, data) }
        }
    }
}

// MARK: The check in the background

extension SQLiteImageStore {
    static let intactBytes = RowCheck("content", finding: damage)
}

extension SQLiteImageCache {
    static let intactBytes = [("content", "bytes"), ("variant", "variant_bytes")].map { table, bytes in
        RowCheck(
            bytes, adding: "(SELECT sha256 FROM \(table) WHERE \(table).id = \(bytes).id) AS sha256", finding: damage)
    }
}

/// - Returns: which bytes do not have their hash.
@Sendable private func damage(_ row: ScannedRow) -> String? {
    guard let data = Data.fromDatabaseValue(row["data"]),
        let hash = Data.fromDatabaseValue(row["sha256"]).flatMap(ContentHash.init)
    else { return "a row with the bytes of an image cannot be decoded" }
    return ContentHash(of: data) == hash ? nil : "the bytes of \(hash.urn) are damaged"
}
