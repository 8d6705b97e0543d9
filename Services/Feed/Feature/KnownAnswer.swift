import Foundation

/// A cached answer that the upstream may confirm with `304 Not Modified`.
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

/// The validators of an answer (RFC 9110, 8.8).
public struct PageValidators: Equatable, Sendable {
    public let etag: String?
    public let lastModified: String?

    /// Nil when the answer has neither.
    public init?(etag: String?, lastModified: String?) {
        if etag == nil, lastModified == nil { return nil }
        self.etag = etag
        self.lastModified = lastModified
    }
}
