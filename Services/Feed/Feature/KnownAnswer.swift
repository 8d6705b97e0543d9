import Foundation

/// An answer that the upstream may say is still the same.
public struct KnownAnswer: Equatable, Sendable {
    public let items: [FeedImage]
    public let continuation: FeedContinuation
    public let validators: PageValidators

    public init(items: [FeedImage], continuation: FeedContinuation, validators: PageValidators) {
        self.items = items
        self.continuation = continuation
        self.validators = validators
    }
}

/// What an upstream tells the versions of an answer by.
public struct PageValidators: Equatable, Sendable {
    public let etag: String?
    public let lastModified: String?

    /// Nil when there is neither.
    public init?(etag: String?, lastModified: String?) {
        if etag == nil, lastModified == nil { return nil }
        self.etag = etag
        self.lastModified = lastModified
    }
}
