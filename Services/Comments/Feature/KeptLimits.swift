/// How much a store keeps of what it could fetch again.
public struct KeptLimits: Equatable, Sendable {
    /// The most comments of one image: as many as the largest answer of our own HTTP API has, 16 MiB of short ones. A list
    /// that is not kept is fetched again for each of its pages.
    public var comments = 150_000

    /// The most images.
    public var images = 20_000

    /// The most bytes of texts, and what each comment takes beside them, of all images together. The places of comments that
    /// the upstream has removed count too.
    public var bytes = 256 * 1_024 * 1_024

    public init() {}

    /// How many places of removed comments fit beside an answer.
    public func gonePlaces(beside answer: KeptComments) -> Int {
        min(CommentPlaces.maximumGone, max(0, bytes - answer.bytes) / CommentPlace.bytes)
    }
}

extension CommentPlace {
    /// What a comment takes beside its texts: ids, times and the indices. The place of a removed comment takes as much.
    public static let bytes = 100
}

extension KeptComments {
    /// What its comments count against `KeptLimits.bytes`.
    public var bytes: Int {
        comments.reduce(0) { $0 + $1.textBytes + CommentPlace.bytes }
    }
}
