import BenchKit
import Foundation
import GRDB
import RPC

/// The file in which image-data-service caches pictures of an upstream. The benchmark fills it directly, because a million
/// fetches would take too long.
struct CachedStore {
    let path: String

    /// Lets the service create its file.
    static func make(root: String, upstream: String) async throws -> CachedStore {
        let service = try await RunningService.start(
            "image-data-service", ["--upstream", upstream], name: "image-data", root: root)
        service.process.stop()
        let path = root + "/data/image-data-edge.sqlite"
        guard FileManager.default.fileExists(atPath: path) else { throw Failure("\(path) does not exist") }
        return CachedStore(path: path)
    }

    /// Inserts small pictures. The first one is the least recently used.
    /// - Returns: their total size in bytes.
    func fill(_ pictures: CachedPictureURLs, count: Int) throws -> Int {
        let picture = NumberedPicture.gif(0)
        let numbers = "WITH RECURSIVE numbers (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM numbers WHERE i < ? - 1)"
        let queue = try DatabaseQueue(path: path)
        defer { _ = queue }
        return try queue.write { db in
            try db.execute(
                sql: """
                    \(numbers) INSERT INTO content (id, sha256, content_type, size, crc32, used)
                    SELECT i + 1, randomblob(32), 'image/gif', ?, ?, i + 1 FROM numbers
                    """, arguments: [count, picture.count, Int64(Bytes(picture).crc32)])
            try db.execute(
                sql: "\(numbers) INSERT INTO bytes (id, data) SELECT i + 1, ? FROM numbers",
                arguments: [count, picture])
            try db.execute(
                sql: """
                    \(numbers) INSERT INTO url (url, content, stored_at)
                    SELECT ? || \(CachedPictureURLs.sqlName), i + 1, unixepoch() FROM numbers
                    """, arguments: [count, pictures.base])
            return try Int.fetchOne(db, sql: "SELECT total FROM weight") ?? 0
        }
    }
}

/// URLs by number, in no particular order.
struct CachedPictureURLs {
    let base: String

    private static let factor = 2_654_435_761

    fileprivate static let sqlName = "printf('%08x', (i * \(factor)) & 4294967295)"

    subscript(number: Int) -> String {
        base + String(format: "%08x", UInt32(truncatingIfNeeded: number * Self.factor))
    }
}
