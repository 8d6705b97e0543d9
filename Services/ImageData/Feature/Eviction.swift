import Foundation

/// Selects the bytes that an eviction deletes.
public enum Eviction: Equatable, Sendable {
    case urls([String])

    /// URLs whose bytes were stored at this time or earlier.
    case storedUpTo(Date)

    /// Contents with all their URLs, the least recently stored first, until at most this many bytes remain.
    case downTo(bytes: Int)

    /// Bytes that are at least `age` seconds old.
    public static func older(than age: Int, now: Date) -> Eviction {
        .storedUpTo(now.addingTimeInterval(-Double(age)))
    }
}

/// The result of an eviction.
public struct Evicted: Equatable, Sendable {
    /// The number of URLs that no longer have bytes.
    public let urls: Int

    /// The number of bytes that were freed. Content that another URL still names is not freed.
    public let bytes: Int

    /// The contents that a store of images freed. A cache names none: it drops what was derived from them itself.
    public let freed: Set<ContentHash>

    public init(urls: Int, bytes: Int, freed: Set<ContentHash> = []) {
        self.urls = urls
        self.bytes = bytes
        self.freed = freed
    }
}
