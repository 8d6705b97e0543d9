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
            if let flag = flag(from: index, in: scalars) {
                end()
                (start, kind) = (index, .symbol)
                index = flag
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

    /// Two regional indicators are one flag. They are paired from the first of a run on.
    /// - Returns: where the flag ends.
    private static func flag(
        from index: String.Index, in scalars: Substring.UnicodeScalarView
    ) -> String.Index? {
        let second = scalars.index(after: index)
        guard isRegionalIndicator(scalars[index]), second < scalars.endIndex, isRegionalIndicator(scalars[second])
        else { return nil }
        return scalars.index(after: second)
    }

    private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    private static func emit(_ kind: Separation, _ run: Substring, _ body: (TextRun) -> Void) {
        let range = run.startIndex..<run.endIndex
        switch kind {
        case .word, .symbol:
            let word = cut(FoldedText.word(run.unicodeScalars.prefix(longestRun)))
            if !word.isEmpty { body(.word(word, range)) }
        case .dense:
            let characters = run.indices.compactMap { index -> (text: String, range: Range<String.Index>)? in
                let text = FoldedText.character(run[index])
                return text.isEmpty ? nil : (text, index..<run.index(after: index))
            }
            if !characters.isEmpty { body(.dense(characters)) }
        case .ignored, .separator: break
        }
    }

    private static func cut(_ word: String) -> String {
        // Most words are short enough in bytes.
        guard word.utf8.count > maximumWord else { return word }
        return String(String.UnicodeScalarView(word.unicodeScalars.prefix(maximumWord)))
    }
}
