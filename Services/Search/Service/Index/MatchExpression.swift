import Search

/// The FTS5 expression of a query. Its words have only letters, digits and characters outside ASCII, so that nothing in a query is
/// syntax to FTS5.
struct MatchExpression {
    /// What the images must match; nil for any image.
    let required: String?

    /// What the images must not match; nil when nothing is excluded.
    let excluded: String?

    init(_ query: SearchQuery) {
        required = Self.joined(query.required, "AND")
        excluded = Self.joined(query.excluded, "OR")
    }

    /// The expression of a query that requires something.
    var text: String? {
        guard let required else { return nil }
        return excluded.map { "(\(required)) NOT (\($0))" } ?? required
    }

    private static func joined(_ terms: [SearchTerm], _ word: String) -> String? {
        terms.isEmpty ? nil : terms.map(phrase).joined(separator: " \(word) ")
    }

    private static func phrase(_ term: SearchTerm) -> String {
        let words = term.field == .tag ? term.words.map(IndexEntry.word(ofKey:)) : term.words
        let phrase = words.map { $0.filter { $0 != "\"" } }.joined(separator: " ")
        return "\(columns(of: term.field)) : \"\(phrase)\"\(term.isPrefix ? " *" : "")"
    }

    private static func columns(of field: SearchTerm.Field) -> String {
        switch field {
        case .text: "{title tags place comments}"
        case .tag: "keys"
        case .place: "place"
        case .author: "authors"
        }
    }
}
