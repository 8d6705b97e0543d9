import Search

/// The FTS5 expression of a query. Its words have only letters, digits and characters outside ASCII, so that nothing in a query is
/// syntax to FTS5.
struct MatchExpression {
    let text: String

    /// The weights of the phrases in the score, in the order of the text; phrases that are only filters have the weight 0.
    let weights: [Double]

    /// The maximum number of words that a prefix stands for when many images have such words: the most frequent ones.
    static let maximumExpansion = 16

    /// The maximum number of places of a prefix that FTS5 sorts, by the vocabulary. It sorts all before it finds the first image.
    static let maximumSorted = 5_000

    init(_ query: SearchQuery, _ vocabulary: Vocabulary) throws {
        let prefixes = (query.required + query.excluded.joined()).count { $0.isPrefix }
        let limit = max(1, Self.maximumExpansion / max(1, prefixes))
        let total = try vocabulary.images()
        let required = try query.required.map { try Alternatives(of: $0, vocabulary, limit) }
        let excluded = try query.excluded.map { group in
            "(\(try group.map { try Alternatives(of: $0, vocabulary, limit).text }.joined(separator: " AND ")))"
        }
        let wanted = required.isEmpty ? EntryWords.everyImage : required.map(\.text).joined(separator: " AND ")
        text = excluded.isEmpty ? wanted : "(\(wanted)) NOT (\(excluded.joined(separator: " OR ")))"
        weights = try required.flatMap { one in
            guard one.field == .text else { return Array(repeating: 0.0, count: one.phrases.count) }
            let images = try vocabulary.images(matching: one.text, estimate: one.estimate)
            let weight = Relevance.weight(images: images, of: total)
            return Array(repeating: weight, count: one.phrases.count)
        }
    }
}

/// The phrases that a term stands for.
private struct Alternatives {
    let field: SearchTerm.Field
    let phrases: [String]

    /// How many images have one of them at most, by the vocabulary.
    let estimate: Int

    /// - Parameter limit: the maximum number of phrases.
    init(of term: SearchTerm, _ vocabulary: Vocabulary, _ limit: Int) throws {
        field = term.field
        guard field != .tag, let last = term.words.last else {
            phrases = [Self.phrase(term.words.map(EntryWords.word(ofKey:)))]
            estimate = 0
            return
        }
        let first = term.words.dropLast()
        var estimates = try first.map { try vocabulary.estimate(of: $0) }
        if term.isPrefix {
            let expansion = try vocabulary.expansion(of: last, limit)
            estimates.append(expansion.total)
            phrases =
                expansion.total <= MatchExpression.maximumSorted
                ? [Self.phrase(term.words) + " *"] : expansion.words.map { Self.phrase(first + [$0.word]) }
        } else {
            estimates.append(try vocabulary.estimate(of: last))
            phrases = [Self.phrase(term.words)]
        }
        estimate = estimates.min() ?? 0
    }

    var text: String { "\(columns) : (\(phrases.joined(separator: " OR ")))" }

    private var columns: String {
        switch field {
        case .text: "{title tags place comments}"
        case .tag: "keys"
        case .place: "place"
        case .author: "authors"
        }
    }

    private static func phrase(_ words: [String]) -> String {
        "\"\(words.map { $0.filter { $0 != "\"" } }.joined(separator: " "))\""
    }
}
