import EdgeModel
import Foundation
import GRDB
import Search

/// An image with its comments, as the index has it.
struct IndexEntry {
    let number: Int64
    var image: SearchableImage
    var comments: [SearchableComment]

    /// The columns of `word` but the last. They depend on nothing else: to delete them, FTS5 needs the words that were inserted.
    var words: [String] {
        [
            Words.indexed(image.title), Self.separated(image.tags), Words.indexed(image.place),
            Self.separated(comments.map(\.message)), Self.separated(authors),
        ]
    }

    private static func separated(_ texts: [String]) -> String {
        texts.map(Words.indexed).joined(separator: " \(separator) ")
    }

    /// The last column of `word`: the tags as one word each, and a word that every image has.
    var keys: String { ([Self.keyMark] + image.tags.map(Self.key)).joined(separator: " ") }

    /// The FTS5 expression that every image matches.
    static let everyImage = "keys : \(keyMark)"

    /// Begins the words of tags, so that no tag is the word that every image has.
    private static let keyMark = "\u{E000}"

    /// Each author once.
    private var authors: [String] {
        var seen: Set<String> = []
        return comments.map(\.author).filter { seen.insert($0).inserted }
    }

    /// Between tags, comments and authors, so that no phrase matches two of them. No text has such a word.
    private static let separator = "\u{E000}"

    /// A tag as one word, whatever characters it has: the tokenizer separates at ASCII characters that are not letters or digits.
    static func key(_ tag: String) -> String { word(ofKey: ItemTags.key(tag)) }

    static func word(ofKey key: String) -> String {
        var word = keyMark.unicodeScalars
        for scalar in key.unicodeScalars {
            let isSeparator = scalar.isASCII && !Character(scalar).isLetter && !Character(scalar).isNumber
            word.append(isSeparator ? Unicode.Scalar(privateUse + scalar.value) ?? scalar : scalar)
        }
        return String(word)
    }

    private static let privateUse: UInt32 = 0xE100

    /// What suggestions are made of: of equal spellings the first.
    var terms: Set<IndexTerm> {
        let tags = image.tags.map { IndexTerm(kind: .tag, key: ItemTags.key($0), text: $0) }
        let others = [(IndexTerm.Kind.place, image.place)] + authors.map { (.person, $0) }
        var seen: [IndexTerm.Kind: Set<String>] = [:]
        let all = tags + others.map { IndexTerm(kind: $0, key: Words.folded($1), text: $1) }
        return Set(all.filter { !$0.key.isEmpty && seen[$0.kind, default: []].insert($0.key).inserted })
    }
}

/// A spelling of a tag, of a place or of the author of a comment.
struct IndexTerm: Hashable {
    enum Kind: Int {
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
