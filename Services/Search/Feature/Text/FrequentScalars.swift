/// A table of the scalars of Latin, Greek, Cyrillic and Hebrew, for speed: the folding of these does not depend on their neighbours.
struct FrequentScalars: Sendable {
    /// The first scalar that is not in the table. All before it have at most two bytes in UTF-8.
    static let end: UInt32 = 0x0600

    static let table = FrequentScalars()

    let separations: [Separation]

    /// The folded scalars as UTF-8, one after another, and where each begins.
    private let folded: [UInt8]
    private let starts: [Int]

    private init() {
        let scalars = (0..<Self.end).compactMap(Unicode.Scalar.init)
        separations = scalars.map(Separation.ofAny)
        var (folded, starts) = ([UInt8](), [0])
        for scalar in scalars {
            var text = Substring()
            text.unicodeScalars.append(scalar)
            folded += FoldedText.anyWord(text.unicodeScalars).utf8
            starts.append(folded.count)
        }
        (self.folded, self.starts) = (folded, starts)
    }

    /// - Parameter value: that of a scalar of the table.
    func appendFolded(_ value: Int, to bytes: inout [UInt8]) {
        for place in starts[value]..<starts[value + 1] { bytes.append(folded[place]) }
    }

    /// The folded words of a text, separated by spaces, as `TextRun` finds them; nil for a text with other scalars.
    func words(of text: String) -> String? {
        var text = text
        return text.withUTF8 { utf8 in
            var writer = WordWriter(capacity: utf8.count)
            var place = 0
            while place < utf8.count {
                var value = Int(utf8[place])
                place += 1
                if value >= 0x80 {
                    // The first byte of a scalar with more than two bytes.
                    guard value < 0xE0 else { return nil }
                    value = (value & 0x1F) << 6 | Int(utf8[place] & 0x3F)
                    guard value < Self.end else { return nil }
                    place += 1
                }
                switch separations[value] {
                case .word:
                    if writer.isSymbol { writer.endWord() }
                    appendFolded(value, to: &writer.bytes)
                case .symbol:
                    writer.endWord()
                    appendFolded(value, to: &writer.bytes)
                    writer.isSymbol = true
                case .ignored: break
                case .separator, .dense: writer.endWord()
                }
            }
            return writer.finish()
        }
    }
}

/// Writes words one after another.
private struct WordWriter {
    var bytes: [UInt8] = []

    /// Whether the word is a symbol, which does not continue.
    var isSymbol = false

    /// Where the word begins.
    private var start = 0

    private static let space = UInt8(ascii: " ")

    init(capacity: Int) { bytes.reserveCapacity(capacity + 1) }

    mutating func endWord() {
        isSymbol = false
        guard bytes.count > start else { return }
        if bytes.count - start > TextRun.maximumWord { cut() }
        bytes.append(Self.space)
        start = bytes.count
    }

    /// Shortens the word to the maximum length.
    private mutating func cut() {
        let begins = bytes.indices[start...].filter { bytes[$0] & 0xC0 != 0x80 }
        if begins.count > TextRun.maximumWord { bytes.removeSubrange(begins[TextRun.maximumWord]...) }
    }

    mutating func finish() -> String {
        endWord()
        if bytes.last == Self.space { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
