import Search

/// A spelling of a tag, of a place or of the author of a comment.
struct IndexTerm: Hashable, Sendable {
    enum Kind: Int, Sendable {
        case tag, place, person
    }

    let kind: Kind

    /// Spellings with the same key are equal.
    let key: String
    let text: String

    /// The maximum number of places in a term where a prefix finds it.
    private static let maximumStarts = 10

    /// The folded text from each of its words on, and from each character of a script without spaces.
    var starts: [String] {
        let starts = Words.starts(of: text, Self.maximumStarts)
        return starts.isEmpty ? [key] : starts
    }
}
