import Foundation

/// What is to go.
public enum Eviction: Equatable, Sendable {
    case urls([String])

    /// URLs whose bytes were kept for them at this time or before.
    case storedUpTo(Date)

    /// Content, the least recently stored first and with all its URLs, until at most so many bytes are kept.
    case downTo(bytes: Int)

    /// What is at least so many seconds old.
    public static func older(than age: Int, now: Date) -> Eviction {
        .storedUpTo(now.addingTimeInterval(-Double(age)))
    }
}

/// What has gone.
public struct Evicted: Equatable, Sendable {
    /// URLs that have no bytes any more.
    public let urls: Int

    /// Bytes that no URL names any more: content that another URL still names stays.
    public let bytes: Int

    public init(urls: Int, bytes: Int) {
        self.urls = urls
        self.bytes = bytes
    }
}
