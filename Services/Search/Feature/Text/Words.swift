/// The words by which a text is found: folded words, emoji, and the trigrams of scripts without spaces.
///
/// Every character of such a script begins a gram of up to three characters. Behind the grams of a run, its parts of one and two
/// characters are words too, because a query may have no more.
public enum Words {
    /// The number of characters of a gram.
    static let gramLength = 3

    /// A word and its place in the text.
    struct Word {
        let text: String
        let range: Range<String.Index>

        /// Whether it is a gram, which overlaps its neighbours.
        var isGram = false
    }

    /// The words of a text, separated by spaces.
    public static func indexed(_ text: String) -> String {
        if let words = FrequentScalars.table.words(of: text) { return words }
        var words = ""
        TextRun.forEach(in: text[...]) { run in
            func add(_ word: String) {
                if !words.isEmpty { words += " " }
                words += word
            }
            forEachWord(of: run) { add($0.text) }
            if case .dense(let characters) = run { shortGrams(characters.map(\.text)).forEach(add) }
        }
        return words
    }

    /// The parts of a run that are shorter than a gram, except those at its end, which are its last grams.
    private static func shortGrams(_ characters: [String]) -> [String] {
        (1..<gramLength).flatMap { length in
            (0..<max(0, characters.count - length)).map { characters[$0..<$0 + length].joined() }
        }
    }

    /// The folded text, with one space between words and runs of scripts without spaces.
    public static func folded(_ text: String) -> String {
        FrequentScalars.table.words(of: text) ?? starts(of: text, 1).first ?? ""
    }

    /// The folded text from each of its words on, and from each character of a script without spaces.
    /// - Parameter limit: the maximum number of them.
    public static func starts(of text: String, _ limit: Int) -> [String] {
        var runs: [[String]] = []
        TextRun.forEach(in: text[...]) { run in
            switch run {
            case .word(let word, _): runs.append([word])
            case .dense(let characters): runs.append(characters.map(\.text))
            }
        }
        let places = runs.indices.lazy.flatMap { run in runs[run].indices.lazy.map { (run: run, character: $0) } }
        return places.prefix(limit).map { place in
            ([runs[place.run][place.character...]] + runs[(place.run + 1)...].map { $0[...] })
                .map { $0.joined() }.joined(separator: " ")
        }
    }

    static func all(in text: Substring) -> [Word] {
        var words: [Word] = []
        TextRun.forEach(in: text) { run in forEachWord(of: run) { words.append($0) } }
        return words
    }

    private static func forEachWord(of run: TextRun, _ body: (Word) -> Void) {
        switch run {
        case .word(let text, let range): body(Word(text: text, range: range))
        case .dense(let characters):
            for first in characters.indices {
                let gram = characters[first..<min(first + gramLength, characters.endIndex)]
                guard let last = gram.last else { continue }
                let range = characters[first].range.lowerBound..<last.range.upperBound
                body(Word(text: gram.map(\.text).joined(), range: range, isGram: true))
            }
        }
    }
}
