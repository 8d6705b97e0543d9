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

    /// How old the bytes were then, in seconds: the `Age` of the upstream's answer. It ages the headers of answers, and does not
    /// shorten the time to live.
    public let age: Int

    public init(contentType: String, size: Int, hash: ContentHash, crc32: UInt32, storedAt: Date, age: Int = 0) {
        self.contentType = contentType
        self.size = size
        self.hash = hash
        self.crc32 = crc32
        self.storedAt = Date(timeIntervalSince1970: storedAt.timeIntervalSince1970.rounded(.down))
        self.age = age
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
    public func stored(at date: Date, age: Int = 0) -> ImageRecord {
        ImageRecord(contentType: contentType, size: size, hash: hash, crc32: crc32, storedAt: date, age: age)
    }
}

extension StoredImage {
    /// The same bytes with another time of storage.
    public func stored(at date: Date, age: Int = 0) -> StoredImage {
        StoredImage(record: record.stored(at: date, age: age), data: data)
    }

    /// The same bytes with the time and the age of an original.
    public func stored(as original: ImageRecord) -> StoredImage { stored(at: original.storedAt, age: original.age) }
}
