/// What an upstream gave to an answer so that it can be asked whether the answer still holds.
public struct AnswerValidators: Equatable, Sendable {
    public let etag: String?
    public let lastModified: String?

    /// The most bytes of each; a longer one is left out.
    public static let maximumBytes = 1_024

    public init(etag: String? = nil, lastModified: String? = nil) {
        self.etag = etag.flatMap(Self.short)
        self.lastModified = lastModified.flatMap(Self.short)
    }

    /// Whether there is nothing to ask with.
    public var isEmpty: Bool { etag == nil && lastModified == nil }

    private static func short(_ text: String) -> String? { text.utf8.count <= maximumBytes ? text : nil }
}
