import EdgeModel

/// What a reader searches for. Every text is a valid query.
public struct SearchQuery: Equatable, Sendable {
    /// The images must match all of these.
    public private(set) var required: [SearchTerm] = []

    /// The images must match none of these groups; an image matches a group if it matches all of its terms.
    public private(set) var excluded: [[SearchTerm]] = []

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
        var room = Self.maximumTerms - required.count
        var parser = QueryParser(text.unicodeScalars.prefix(Self.maximumLength))
        while room > 0, let part = parser.next() {
            if !part.isExcluded { hasText = true }
            let terms = Array(part.terms.prefix(room))
            room -= terms.count
            if !part.isExcluded { required += terms } else if !terms.isEmpty { excluded.append(terms) }
        }
        isUnsearchable = hasText && required.isEmpty && excluded.isEmpty
    }

    /// Whether a term is a word of a text, so that matches have a score.
    public var isRanked: Bool { required.contains { $0.field == .text } }
}
