import Foundation

/// What is known about the bytes that are kept for a URL.
public struct ImageRecord: Equatable, Sendable {
    public let contentType: String
    public let size: Int
    public let hash: ContentHash

    /// Of the bytes as they came, so that a store can tell when it has spoilt them.
    public let crc32: UInt32

    /// When they were kept for this URL; whole seconds.
    public let storedAt: Date

    public init(contentType: String, size: Int, hash: ContentHash, crc32: UInt32, storedAt: Date) {
        self.contentType = contentType
        self.size = size
        self.hash = hash
        self.crc32 = crc32
        self.storedAt = Date(timeIntervalSince1970: storedAt.timeIntervalSince1970.rounded(.down))
    }
}

/// Bytes with what is known about them.
public struct StoredImage: Equatable, Sendable {
    public let record: ImageRecord
    public let data: Data

    public init(record: ImageRecord, data: Data) {
        self.record = record
        self.data = data
    }
}

extension ImageRecord {
    /// The same bytes, kept at another time.
    public func stored(at date: Date) -> ImageRecord {
        ImageRecord(contentType: contentType, size: size, hash: hash, crc32: crc32, storedAt: date)
    }
}

extension StoredImage {
    /// The same bytes, kept at another time.
    public func stored(at date: Date) -> StoredImage { StoredImage(record: record.stored(at: date), data: data) }
}
