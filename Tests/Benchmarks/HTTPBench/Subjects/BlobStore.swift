import BenchKit
import Foundation
import Glibc
import GRDB

/// Where the bytes of cached pictures are stored. Their metadata is in the same SQLite tables in all layouts.
enum BlobLayout: String, CaseIterable {
    case database
    case files
    /// Files that are synced before the database names them. Otherwise a power cut can leave files that fail their checksum.
    case syncedFiles = "synced files"

    var key: String { rawValue.replacing(" ", with: "_") }
}

/// A picture with its names.
struct Blob {
    let hash: Data
    let data: Data

    var name: String { hash.map { String(format: "%02x", $0) }.joined() }
    var url: String { "http://127.0.0.1/\(name)" }
}

/// Bytes in one of the layouts, written as image-data-service writes them.
struct BlobStore {
    private let layout: BlobLayout
    private let folder: String
    private let pool: DatabasePool

    /// - Parameter database: an empty database of the service.
    init(_ layout: BlobLayout, in folder: String, copying database: String) throws {
        self.layout = layout
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for prefix in 0...255 where layout != .database {
            try FileManager.default.createDirectory(
                atPath: folder + "/" + String(format: "%02x", prefix), withIntermediateDirectories: false)
        }
        let path = folder + "/index.sqlite"
        try FileManager.default.copyItem(atPath: database, toPath: path)
        // With GRDB's settings, as in the service: a power cut may undo the last writes.
        pool = try DatabasePool(path: path)
    }

    func write(_ blob: Blob) throws {
        if layout != .database { try writeFile(blob) }
        try pool.write { db in
            let content = try Int64.fetchOne(
                db.cachedStatement(
                    sql: """
                        INSERT INTO content (sha256, content_type, size, crc32, used) VALUES (?, 'image/jpeg', ?, 0, 1)
                        RETURNING id
                        """), arguments: [blob.hash, blob.data.count])
            if layout == .database {
                try db.cachedStatement(sql: "INSERT INTO bytes (id, data) VALUES (?, ?)").execute(
                    arguments: [content, blob.data])
            }
            try db.cachedStatement(sql: "INSERT INTO url (url, content, stored_at) VALUES (?, ?, 1)").execute(
                arguments: [blob.url, content])
        }
    }

    /// - Returns: nil when the picture is not stored.
    func read(_ url: String) throws -> Data? {
        let join = layout == .database ? "JOIN bytes USING (id)" : ""
        let found = try pool.read { db in
            try Data.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT \(layout == .database ? "data" : "sha256")
                        FROM url JOIN content ON content.id = url.content \(join) WHERE url.url = ?
                        """), arguments: [url])
        }
        guard layout != .database else { return found }
        return try found.map { try readFile(path(Blob(hash: $0, data: Data()).name)) }
    }

    private func path(_ name: String) -> String { "\(folder)/\(name.prefix(2))/\(name)" }

    private func writeFile(_ blob: Blob) throws {
        let path = path(blob.name)
        let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("open: \(errno)") }
        defer { close(descriptor) }
        let written = blob.data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard written == blob.data.count else { throw Failure("write: \(errno)") }
        guard layout != .syncedFiles || fdatasync(descriptor) == 0 else { throw Failure("fdatasync: \(errno)") }
        guard rename(path + ".new", path) == 0 else { throw Failure("rename: \(errno)") }
    }

    private func readFile(_ path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("open: \(errno)") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure("fstat: \(errno)") }
        var data = Data(count: Int(status.st_size))
        let count = data.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count == data.count else { throw Failure("read: \(errno)") }
        return data
    }
}
