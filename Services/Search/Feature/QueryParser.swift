/// Splits a query into its parts: words and quoted phrases, with their operators.
struct QueryParser {
    struct Part {
        let terms: [SearchTerm]
        let isExcluded: Bool
    }

    private var rest: Substring.UnicodeScalarView

    init(_ text: String.UnicodeScalarView.SubSequence) { rest = Substring(String(text)).unicodeScalars }

    private static let operators: [(name: String, field: SearchTerm.Field)] = [
        ("tag", .tag), ("place", .place), ("by", .credit), ("from", .author),
    ]

    /// Nil at the end.
    mutating func next() -> Part? {
        rest = rest.drop(while: Self.isSpace)
        guard !rest.isEmpty else { return nil }
        let isExcluded = takeMinus()
        let field = takeOperator() ?? .text
        if let phrase = takeQuoted() {
            return Part(terms: terms(phrase, field, isPrefix: takeStar()), isExcluded: isExcluded)
        }
        let word = rest.prefix { !Self.isSpace($0) }
        rest = rest[word.endIndex...]
        // The last word may not be complete yet, but a word to exclude would exclude too much.
        let isOpen = word.last == "*" || rest.isEmpty && !isExcluded
        let text = word.last == "*" ? word.dropLast() : word
        return Part(terms: terms(String(Substring(text)), field, isPrefix: isOpen), isExcluded: isExcluded)
    }

    private func terms(_ text: String, _ field: SearchTerm.Field, isPrefix: Bool) -> [SearchTerm] {
        if field == .tag { return SearchTerm(tag: text).map { [$0] } ?? [] }
        return SearchTerm.terms(of: text, in: field, isPrefix: isPrefix)
    }

    /// A minus that something follows.
    private mutating func takeMinus() -> Bool {
        guard rest.first == "-", let next = rest.dropFirst().first, !Self.isSpace(next) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// `tag:` and the like, if something follows.
    private mutating func takeOperator() -> SearchTerm.Field? {
        for (name, field) in Self.operators {
            let word = rest.prefix(name.unicodeScalars.count)
            let after = rest[word.endIndex...]
            guard Substring(word).lowercased() == name, let colon = after.first, colon == ":" || colon == "：",
                let value = after.dropFirst().first, !Self.isSpace(value)
            else { continue }
            rest = after.dropFirst()
            return field
        }
        return nil
    }

    /// The text up to the closing quotation mark, or up to the end.
    private mutating func takeQuoted() -> String? {
        guard let first = rest.first, let closing = Self.quotes[first] else { return nil }
        let text = rest.dropFirst().prefix { !closing.contains($0) }
        rest = rest[text.endIndex...].dropFirst()
        return String(Substring(text))
    }

    private mutating func takeStar() -> Bool {
        guard rest.first == "*" else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The quotation marks that open a phrase, with those that close it.
    private static let quotes: [Unicode.Scalar: Set<Unicode.Scalar>] = [
        "\"": ["\""], "“": ["”", "“"], "”": ["”"], "„": ["“", "”"], "«": ["»"], "»": ["«", "»"],
    ]

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
}
