/// A part of a text between separators.
enum TextRun {
    /// A folded word, or a symbol.
    case word(String, Range<String.Index>)

    /// Characters of a script without spaces, each folded.
    case dense([(text: String, range: Range<String.Index>)])

    /// The maximum length of a folded word in scalars. A longer word is cut, in texts and queries alike.
    static let maximumWord = 64

    /// How many scalars of a word or of a character are folded, combining marks included: composing takes the square of their number.
    static let longestRun = 4 * maximumWord

    /// Calls `body` with the runs of a text in their order.
    static func forEach(in text: Substring, _ body: (TextRun) -> Void) {
        let scalars = text.unicodeScalars
        var start: String.Index?
        var kind = Separation.separator
        var index = scalars.startIndex
        func end() {
            if let start { emit(kind, text[start..<index], body) }
            start = nil
        }
        while index < scalars.endIndex {
            let next = Separation(scalars[index])
            if let emoji = emoji(from: index, in: scalars) {
                end()
                (start, kind) = (index, .symbol)
                index = emoji
                continue
            }
            // A symbol is a run of its own; an ignored scalar belongs to the run before it.
            if next != .ignored, next != kind || next == .symbol {
                end()
                kind = next
                start = next == .separator ? nil : index
            }
            index = scalars.index(after: index)
        }
        end()
    }

    /// A symbol with those that are joined to it, and what is ignored behind each. Of regional indicators two are one flag; they are
    /// paired from the first of a run on.
    /// - Returns: where the emoji ends; nil for another scalar.
    private static func emoji(
        from index: String.Index, in scalars: Substring.UnicodeScalarView
    ) -> String.Index? {
        let second = scalars.index(after: index)
        if isRegionalIndicator(scalars[index]), second < scalars.endIndex, isRegionalIndicator(scalars[second]) {
            return scalars.index(after: second)
        }
        guard Separation(scalars[index]) == .symbol else { return nil }
        var end = second
        while end < scalars.endIndex {
            let isJoined = scalars[scalars.index(before: end)] == joiner && Separation(scalars[end]) == .symbol
            guard isJoined || Separation(scalars[end]) == .ignored else { break }
            end = scalars.index(after: end)
        }
        return end
    }

    private static let joiner: Unicode.Scalar = "\u{200D}"

    private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    private static func emit(_ kind: Separation, _ run: Substring, _ body: (TextRun) -> Void) {
        let range = run.startIndex..<run.endIndex
        switch kind {
        case .word:
            add(FoldedText.word(run.unicodeScalars.prefix(longestRun)), range, body)
        case .symbol:
            // The parts of an emoji are words, but no place in it is shown apart.
            for symbol in symbols(of: run.unicodeScalars.prefix(longestRun)) {
                add(FoldedText.symbol(symbol), range, body)
            }
        case .dense:
            let characters = characters(of: run)
            if !characters.isEmpty { body(.dense(characters)) }
        case .ignored, .separator: break
        }
    }

    private static func characters(of run: Substring) -> [(text: String, range: Range<String.Index>)] {
        var characters: [(text: String, range: Range<String.Index>)] = []
        for index in run.indices {
            let text = FoldedText.character(run[index])
            guard !text.isEmpty else { continue }
            let end = run.index(after: index)
            if let last = characters.last, last.text.utf8.count < longestRun,
                let whole = FoldedText.joined(last.text, text)
            {
                characters[characters.count - 1] = (whole, last.range.lowerBound..<end)
            } else {
                characters.append((text, index..<end))
            }
        }
        return characters
    }

    /// The symbols of an emoji. A flag is one.
    private static func symbols(of emoji: Substring.UnicodeScalarView) -> [Substring.UnicodeScalarView] {
        guard let first = emoji.first, !isRegionalIndicator(first) else { return [emoji] }
        return emoji.indices.filter { Separation(emoji[$0]) == .symbol }.map { start in
            let rest = emoji[start...].dropFirst()
            return emoji[start..<(rest.firstIndex { Separation($0) == .symbol } ?? rest.endIndex)]
        }
    }

    /// A folded scalar such as `½` can be several words.
    private static func add(_ folded: String, _ range: Range<String.Index>, _ body: (TextRun) -> Void) {
        for word in cut(folded).split(separator: " ") { body(.word(String(word), range)) }
    }

    private static func cut(_ word: String) -> String {
        // Most words are short enough in bytes.
        guard word.utf8.count > maximumWord else { return word }
        return String(String.UnicodeScalarView(word.unicodeScalars.prefix(maximumWord)))
    }
}
