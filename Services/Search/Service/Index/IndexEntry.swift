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
            Words.indexed(image.title), Words.indexed(image.tags.joined(separator: "\n")), Words.indexed(image.place),
            Words.indexed(comments.lazy.map(\.message).joined(separator: "\n")),
            authors.map(Words.indexed).joined(separator: " \(Self.authorSeparator) "),
        ]
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

    /// Between authors, so that no phrase matches two of them.
    private static let authorSeparator = "\u{E000}"

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

    /// What suggestions are made of.
    var terms: Set<IndexTerm> {
        var terms: Set<IndexTerm> = []
        for tag in image.tags { terms.insert(IndexTerm(.tag, tag, key: ItemTags.key(tag))) }
        for author in authors { terms.insert(IndexTerm(.person, author, key: Words.indexed(author))) }
        terms.insert(IndexTerm(.place, image.place, key: Words.indexed(image.place)))
        return terms.filter { !$0.key.isEmpty }
    }
}

/// A tag, a place or the author of a comment. Terms with the same key are equal.
struct IndexTerm: Hashable {
    enum Kind: Int {
        case tag, place, person
    }

    let kind: Kind
    let text: String
    let key: String

    init(_ kind: Kind, _ text: String, key: String) {
        (self.kind, self.text, self.key) = (kind, text, key)
    }

    static func == (one: IndexTerm, other: IndexTerm) -> Bool { one.kind == other.kind && one.key == other.key }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(key)
    }

    /// The maximum number of words of a term that a prefix finds it by.
    private static let maximumStarts = 5

    /// The folded text from each of its words on.
    var starts: [String] {
        let words = Words.indexed(text).split(separator: " ")
        guard !words.isEmpty else { return [key] }
        return words.indices.prefix(Self.maximumStarts).map { words[$0...].joined(separator: " ") }
    }
}
