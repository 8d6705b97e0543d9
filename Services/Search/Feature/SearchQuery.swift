import EdgeModel

/// What a reader searches for. Every text is a valid query.
public struct SearchQuery: Equatable, Sendable {
    /// The images must match all of these.
    public private(set) var required: [SearchTerm] = []

    /// The images must match none of these.
    public private(set) var excluded: [SearchTerm] = []

    /// Whether the query has text but nothing that a text is found by, such as `???`. No image matches it.
    public private(set) var isUnsearchable = false

    /// The maximum number of terms. A longer query is searched by its beginning.
    public static let maximumTerms = 32

    /// The maximum length of a query in scalars. A longer query is searched by its beginning.
    public static let maximumLength = 10_000

    /// - Parameters:
    ///   - text: words and operators, as a reader types them.
    ///   - tags: tags that the images must have.
    public init(_ text: String, tags: [String] = []) {
        required = tags.compactMap { SearchTerm(tag: $0) }
        var hasText = false
        var parser = QueryParser(text.unicodeScalars.prefix(Self.maximumLength))
        while required.count + excluded.count < Self.maximumTerms, let part = parser.next() {
            hasText = true
            let terms = part.terms.prefix(Self.maximumTerms - required.count - excluded.count)
            if part.isExcluded { excluded += terms } else { required += terms }
        }
        isUnsearchable = hasText && required.isEmpty && excluded.isEmpty
    }

    /// Whether a term is a word of a text, so that matches have a score.
    public var isRanked: Bool { required.contains { $0.field == .text } }

    /// Whether every image matches.
    public var isEverything: Bool { required.isEmpty && excluded.isEmpty && !isUnsearchable }
}
