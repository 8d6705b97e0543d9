/// The part of a text that shows a reader why an image was found.
public struct Snippet: Equatable, Sendable {
    public struct Part: Equatable, Sendable {
        public let text: String
        public let isHit: Bool
    }

    public let parts: [Part]

    /// Whether one text has all terms.
    public let hasAll: Bool

    /// The maximum length in characters, without the marks of omission.
    public static let length = 160

    /// How many characters before the first hit are shown.
    static let lead = 40

    /// How many scalars of a text are read.
    public static let maximumText = 10_000

    /// The snippet of the text with the most terms; of several, of the first.
    /// - Parameters:
    ///   - texts: are read only until one has all terms.
    ///   - terms: those that match text.
    public init(of texts: some Sequence<String>, for terms: [SearchTerm]) {
        var best: (text: Substring, hits: Hits)?
        for text in texts where !text.isEmpty {
            let text = Substring(text.unicodeScalars.prefix(Self.maximumText))
            let hits = Hits(of: terms, in: text)
            if hits.terms > best?.hits.terms ?? -1 { best = (text, hits) }
            if hits.terms == terms.count { break }
        }
        parts = best.map { Self.parts(of: $0.text, $0.hits.ranges) } ?? []
        hasAll = best.map { $0.hits.terms == terms.count } ?? false
    }

    private static func parts(of text: Substring, _ hits: [Range<String.Index>]) -> [Part] {
        let shown = window(of: text, around: hits.first)
        var parts: [Part] = []
        func add(_ range: Range<String.Index>, isHit: Bool) {
            let range = range.clamped(to: shown)
            guard !range.isEmpty else { return }
            parts.append(Part(text: oneLine(text[range]), isHit: isHit))
        }
        var end = text.startIndex
        for hit in hits {
            add(end..<hit.lowerBound, isHit: false)
            add(hit, isHit: true)
            end = hit.upperBound
        }
        add(end..<text.endIndex, isHit: false)
        if shown.lowerBound > text.startIndex { parts.insert(Part(text: "…", isHit: false), at: 0) }
        if shown.upperBound < text.endIndex { parts.append(Part(text: "…", isHit: false)) }
        return parts
    }

    private static func window(of text: Substring, around hit: Range<String.Index>?) -> Range<String.Index> {
        var start = text.startIndex
        if let hit, let lead = text.index(hit.lowerBound, offsetBy: -lead, limitedBy: text.startIndex) {
            // Begin with a whole word, if one begins before the hit.
            start = text[lead..<hit.lowerBound].firstIndex(where: \.isWhitespace).map(text.index(after:)) ?? lead
        }
        guard let cut = text.index(start, offsetBy: length, limitedBy: text.endIndex), cut < text.endIndex else {
            return start..<text.endIndex
        }
        // End with a whole word, if one ends behind the hit. A script without spaces has none.
        let end = text[(hit?.upperBound ?? start)..<max(cut, hit?.upperBound ?? start)].lastIndex(where: \.isWhitespace)
        return start..<(end ?? cut)
    }

    private static func oneLine(_ text: Substring) -> String {
        // By the first scalar: comparing characters takes the square of the number of their combining marks.
        String(text.map { $0.isNewline || $0.unicodeScalars.first == "\t" ? " " : $0 })
    }
}

/// The places of terms in a text.
private struct Hits {
    /// In the order of the text, without overlaps.
    private(set) var ranges: [Range<String.Index>] = []

    /// How many of the terms the text has.
    private(set) var terms = 0

    init(of terms: [SearchTerm], in text: Substring) {
        let words = Words.all(in: text)
        var found: [Range<String.Index>] = []
        for term in terms {
            let ranges = words.indices.compactMap { Self.range(of: term, at: words[$0...], in: text) }
            if !ranges.isEmpty { self.terms += 1 }
            found += ranges
        }
        for range in found.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = ranges.last, range.lowerBound < last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
    }

    private static func range(
        of term: SearchTerm, at words: ArraySlice<Words.Word>, in text: Substring
    ) -> Range<String.Index>? {
        let candidates = words.prefix(term.words.count)
        guard candidates.count == term.words.count, let first = candidates.first, let last = candidates.last,
            let end = term.words.last
        else { return nil }
        for (word, wanted) in zip(candidates.dropLast(), term.words) where word.text != wanted { return nil }
        // By bytes: a mark that completes the last character does not matter.
        guard last.text == end || (term.isPrefix || last.isGram) && last.text.utf8.starts(with: end.utf8) else {
            return nil
        }
        // Of a gram only the wanted characters are a hit.
        let isPart = last.isGram && last.text != end
        let upper =
            isPart
            ? text.index(last.range.lowerBound, offsetBy: end.count, limitedBy: last.range.upperBound) : nil
        return first.range.lowerBound..<(upper ?? last.range.upperBound)
    }
}
