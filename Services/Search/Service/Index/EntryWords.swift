import EdgeModel
import Foundation
import Search

/// What an entry is found by: the columns of the table `word`, and terms. It depends on nothing else: to delete the words, FTS5 needs
/// those that were inserted.
struct EntryWords: Sendable {
    let title: String
    let tags: String
    let place: String
    let credit: String
    let comments: String
    let authors: String

    /// The tags as one word each, and a word that every image has.
    let keys: String

    /// What suggestions are made of: of equal spellings the first.
    let terms: [IndexTerm]

    init(_ entry: IndexEntry) {
        let image = entry.image
        var seen: Set<String> = []
        let authors = entry.comments.map(\.author).filter { seen.insert($0).inserted }
        title = Words.indexed(image.title)
        tags = Self.separated(image.tags)
        place = Words.indexed(image.place)
        credit = Words.indexed(image.credit)
        comments = Self.separated(entry.comments.map(\.message))
        self.authors = Self.separated(authors)
        keys = ([Self.keyMark] + image.tags.map { Self.word(ofKey: SearchTerm.key(ofTag: $0)) }).joined(separator: " ")
        terms =
            Self.terms(.tag, image.tags, SearchTerm.key) + Self.terms(.place, [image.place], Words.folded)
            + Self.terms(.person, authors, Words.folded)
    }

    private static func separated(_ texts: [String]) -> String {
        texts.map(Words.indexed).joined(separator: " \(separator) ")
    }

    /// Between tags, comments and authors, so that no phrase matches two of them. No text has such a word.
    private static let separator = "\u{E000}"

    /// The maximum bytes of a term. Longer texts, which only an upstream can have, are found by their words.
    private static let longestTerm = 4_000

    private static func terms(_ kind: IndexTerm.Kind, _ texts: [String], _ key: (String) -> String) -> [IndexTerm] {
        var seen: Set<String> = [""]
        return texts.compactMap { text in
            guard text.utf8.count <= longestTerm else { return nil }
            // Composed, because Swift compares texts by their characters, and SQLite by their bytes.
            let text = text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
            let key = key(text)
            return seen.insert(key).inserted ? IndexTerm(kind: kind, key: key, text: text) : nil
        }
    }

    // MARK: Keys

    /// The FTS5 expression that every image matches.
    static let everyImage = "keys : \(keyMark)"

    /// Begins the words of tags, so that no tag is the word that every image has.
    private static let keyMark = "\u{E000}"

    /// A tag as one word, whatever characters it has: the tokenizer separates at ASCII characters that are not letters or digits.
    static func word(ofKey key: String) -> String {
        var word = keyMark.unicodeScalars
        for scalar in key.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "\u{80}"...: word.append(scalar)
            default: word.append(Unicode.Scalar(privateUse + scalar.value) ?? scalar)
            }
        }
        return String(word)
    }

    private static let privateUse: UInt32 = 0xE100
}
