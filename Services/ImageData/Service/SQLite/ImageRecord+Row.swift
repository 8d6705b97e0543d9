import Foundation
import GRDB
import ImageData

extension ImageRecord {
    /// - Parameters:
    ///   - row: content_type, size, sha256, crc32 and stored_at, in this order.
    ///   - age: how old the bytes were when they were stored.
    init(row: Row, age: Int = 0) throws {
        let hash: Data = try row.decode(atIndex: 2)
        let crc32: Int64 = try row.decode(atIndex: 3)
        let storedAt: Int64 = try row.decode(atIndex: 4)
        guard let hash = ContentHash(hash), let crc32 = UInt32(exactly: crc32) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        self.init(
            contentType: try row.decode(atIndex: 0), size: try row.decode(atIndex: 1), hash: hash, crc32: crc32,
            storedAt: Date(timeIntervalSince1970: Double(storedAt)), age: age)
    }
}
