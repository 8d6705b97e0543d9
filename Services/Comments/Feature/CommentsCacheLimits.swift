/// The limits of an edge's cache of comments.
public struct CommentsCacheLimits: Equatable, Sendable {
    /// The maximum number of comments of one image: as many as the largest answer of this project's HTTP API has, 16
    /// MiB of short comments. A longer list is not cached; it is fetched again for each of its pages.
    public var comments = 150_000

    /// The maximum number of images.
    public var images = 20_000

    /// The maximum size of all comments together, in bytes: their texts and `CommentPlace.bytes` for each. The places
    /// of removed comments count too.
    public var bytes = 256 * 1_024 * 1_024

    public init() {}

    /// The number of places of removed comments that fit beside an answer.
    public func gonePlaces(beside answer: CachedComments) -> Int {
        min(CommentPlaces.maximumGone, max(0, bytes - answer.bytes) / CommentPlace.bytes)
    }
}

extension CommentPlace {
    /// The size that a comment counts beside its texts, in bytes: ids, times and index entries. The place of a removed
    /// comment counts the same.
    public static let bytes = 100
}

extension CachedComments {
    /// The size that the answer counts against `CommentsCacheLimits.bytes`.
    public var bytes: Int {
        comments.reduce(0) { $0 + $1.textBytes + CommentPlace.bytes }
    }
}
