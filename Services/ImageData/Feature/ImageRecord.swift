import Foundation

/// The metadata of the bytes that are stored for a URL.
public struct ImageRecord: Equatable, Sendable {
    public let contentType: String
    public let size: Int
    public let hash: ContentHash

    /// The checksum of the bytes when they were received; it detects corruption by the store.
    public let crc32: UInt32

    /// When the bytes were stored for this URL, in whole seconds.
    public let storedAt: Date

    public init(contentType: String, size: Int, hash: ContentHash, crc32: UInt32, storedAt: Date) {
        self.contentType = contentType
        self.size = size
        self.hash = hash
        self.crc32 = crc32
        self.storedAt = Date(timeIntervalSince1970: storedAt.timeIntervalSince1970.rounded(.down))
    }
}

/// Bytes with their metadata.
public struct StoredImage: Equatable, Sendable {
    public let record: ImageRecord
    public let data: Data

    public init(record: ImageRecord, data: Data) {
        self.record = record
        self.data = data
    }
}

extension ImageRecord {
    /// The same bytes with another time of storage.
    public func stored(at date: Date) -> ImageRecord {
        ImageRecord(contentType: contentType, size: size, hash: hash, crc32: crc32, storedAt: date)
    }
}

extension StoredImage {
    /// The same bytes with another time of storage.
    public func stored(at date: Date) -> StoredImage { StoredImage(record: record.stored(at: date), data: data) }
}
