import Search

/// The FTS5 expression of a query. Its words have only letters, digits and characters outside ASCII, so that nothing in a query is
/// syntax to FTS5.
struct MatchExpression {
    let text: String

    /// What the phrases count in the score, in the order of the text.
    let phrases: [Relevance.Phrase]

    /// What each prefix of the query stands for.
    let prefixes: [SearchCursor.Expansion]

    /// The maximum number of words that a prefix stands for when many images have such words: the most frequent ones.
    static let maximumExpansion = 16

    /// The maximum number of places of a prefix that FTS5 sorts, by the vocabulary. It sorts all before it finds the first image.
    static let maximumSorted = 5_000

    /// - Parameter prefixes: what each prefix of the query stands for, if it is known.
    init(_ query: SearchQuery, _ vocabulary: Vocabulary, prefixes known: [SearchCursor.Expansion]?) throws {
        let limit = max(1, Self.maximumExpansion / max(1, query.prefixCount))
        var prefixes: [SearchCursor.Expansion] = []
        func alternatives(of term: SearchTerm) throws -> Alternatives {
            guard term.isPrefix, let last = term.words.last else { return Alternatives(of: term, nil) }
            let expansion =
                if let known, prefixes.count < known.count { known[prefixes.count] } else {
                    try vocabulary.expansion(of: last, limit)
                }
            prefixes.append(expansion)
            return Alternatives(of: term, expansion)
        }
        let required = try query.required.map(alternatives)
        let excluded = try query.excluded.map { group in
            "(\(try group.map { try alternatives(of: $0).text }.joined(separator: " AND ")))"
        }
        let wanted = required.isEmpty ? EntryWords.everyImage : required.map(\.text).joined(separator: " AND ")
        text = excluded.isEmpty ? wanted : "(\(wanted)) NOT (\(excluded.joined(separator: " OR ")))"
        phrases = required.flatMap { one in
            one.phrases.map { one.field == .text ? $0.kind : .filter }
        }
        self.prefixes = prefixes
    }
}

/// The phrases that a term stands for.
private struct Alternatives {
    let field: SearchTerm.Field
    let phrases: [(text: String, kind: Relevance.Phrase)]

    /// - Parameter expansion: what its last word stands for, if the term is a prefix.
    init(of term: SearchTerm, _ expansion: SearchCursor.Expansion?) {
        field = term.field
        let whole = Self.phrase(term.words)
        switch expansion {
        case nil where field == .tag: phrases = [(Self.phrase(term.words.map(EntryWords.word(ofKey:))), .whole)]
        case nil: phrases = [(whole, .whole)]
        case .all: phrases = [(whole, .wholeOfPrefix), (whole + " *", .prefix)]
        case .words(let ends):
            let (first, last) = (Array(term.words.dropLast()), term.words.last ?? "")
            phrases = ends.map { (Self.phrase(first + [last + $0]), $0.isEmpty ? .whole : .prefix) }
        }
    }

    var text: String { "\(columns) : (\(phrases.map(\.text).joined(separator: " OR ")))" }

    private var columns: String {
        switch field {
        case .text: "{title tags place credit comments}"
        case .tag: "keys"
        case .place: "place"
        case .credit: "credit"
        case .author: "authors"
        }
    }

    private static func phrase(_ words: [String]) -> String {
        "\"\(words.map { $0.filter { $0 != "\"" } }.joined(separator: " "))\""
    }
}
