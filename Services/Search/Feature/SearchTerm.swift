import EdgeModel

/// A word, phrase or filter of a query.
public struct SearchTerm: Hashable, Sendable {
    public enum Field: String, Hashable, Sendable {
        /// The title, the place, the credit, the tags and the comments.
        case text
        case tag
        case place
        /// The photographer or another author of the picture.
        case credit
        /// The author of a comment.
        case author
    }

    public let field: Field

    /// Consecutive folded words, or the grams of a script without spaces. For a tag its key.
    public let words: [String]

    /// Whether the last word may continue.
    public let isPrefix: Bool

    /// The maximum number of words of a phrase.
    static let maximumWords = 32

    /// The minimum length of a word with any ending, in scalars: a single letter would match nearly every image.
    static let minimumPrefix = 2

    init(_ field: Field, _ words: some Sequence<String>, isPrefix: Bool) {
        self.field = field
        self.words = Array(words.prefix(Self.maximumWords))
        self.isPrefix = isPrefix
    }

    /// The text by which a tag is found: the beginning of its key, which an upstream may give any length.
    public static func key(ofTag tag: String) -> String {
        let key = ItemTags.key(tag)
        guard key.utf8.count > longestKey else { return key }
        return String(String.UnicodeScalarView(key.unicodeScalars.prefix(longestKey)))
    }

    /// The maximum length of such a text in scalars.
    private static let longestKey = 200

    /// Nil for a blank tag.
    init?(tag: String) {
        let key = Self.key(ofTag: tag)
        guard !key.isEmpty else { return nil }
        self.init(.tag, [key], isPrefix: false)
    }

    /// The terms of a text: a phrase for consecutive words, and one for each run of a script without spaces.
    static func terms(of text: String, in field: Field, isPrefix: Bool) -> [SearchTerm] {
        var terms: [SearchTerm] = []
        var phrase: [String] = []
        func endPhrase(isLast: Bool) {
            guard let last = phrase.last else { return }
            let isOpen = isLast && isPrefix && last.unicodeScalars.count >= minimumPrefix
            terms.append(SearchTerm(field, phrase, isPrefix: isOpen))
            phrase = []
        }
        TextRun.forEach(in: text[...]) { run in
            switch run {
            case .word(let word, _): phrase.append(word)
            case .dense(let characters):
                endPhrase(isLast: false)
                let isLast = characters.last?.range.upperBound == text.endIndex
                terms.append(SearchTerm(field, dense: characters.map(\.text), isOpen: isPrefix && isLast))
            }
        }
        endPhrase(isLast: true)
        return terms
    }

    /// One or two characters are a word of their own; more are consecutive grams.
    /// - Parameter isOpen: whether marks may follow the last letter, as they do in Thai. A character of Chinese is complete.
    private init(_ field: Field, dense characters: [String], isOpen: Bool) {
        let last = max(0, characters.count - Words.gramLength)
        let grams = (0...last).map { characters[$0..<min($0 + Words.gramLength, characters.count)].joined() }
        let hasMarks = characters.last?.unicodeScalars.first.map { $0.value < Self.firstOfChinese } ?? false
        self.init(field, grams, isPrefix: isOpen && hasMarks)
    }

    /// The scripts without spaces before this scalar combine letters with marks.
    private static let firstOfChinese: UInt32 = 0x2E80
}
