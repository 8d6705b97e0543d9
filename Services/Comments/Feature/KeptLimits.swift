/// How much a store keeps of what it could fetch again.
public struct KeptLimits: Equatable, Sendable {
    /// The most comments of one image.
    public var comments = 10_000

    /// The most images.
    public var images = 20_000

    /// The most bytes of texts, and what each comment takes beside them, of all images together.
    public var bytes = 256 * 1_024 * 1_024

    public init() {}
}

extension KeptComments {
    /// What a comment takes beside its texts: ids, times and the indices.
    static let bytesPerComment = 100

    /// What counts against `KeptLimits.bytes`.
    public var bytes: Int {
        comments.reduce(0) { $0 + $1.message.utf8.count + $1.username.utf8.count + Self.bytesPerComment }
    }
}
