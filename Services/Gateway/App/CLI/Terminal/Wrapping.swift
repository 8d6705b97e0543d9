/// Breaks a text into lines of a given width: between words if possible, otherwise between clusters.
struct Wrapping {
    private let width: Int
    private let indent: String
    private var lines: [String] = []
    private var line = ""
    private var column = 0
    private var isAtStart = true

    /// Returns at least one line. No line is wider than `width`, unless `width` is too small for the indent and one
    /// character. Every line but the first begins with `indent`.
    static func lines(_ text: String, width: Int, indent: String = "") -> [String] {
        guard DisplayWidth.of(text) > width else { return [text] }
        var wrapping = Wrapping(width: width, indent: indent)
        for word in text.split(separator: " ") { wrapping.add(String(word)) }
        return wrapping.lines + [wrapping.line]
    }

    private init(width: Int, indent: String) {
        self.width = width
        self.indent = indent
    }

    private mutating func add(_ word: String) {
        let length = DisplayWidth.of(word)
        if !isAtStart, column + 1 + length <= width {
            append(" " + word, width: length + 1)
        } else {
            if !isAtStart { breakLine() }
            length <= width - column ? append(word, width: length) : addInPieces(word)
        }
    }

    private mutating func addInPieces(_ word: String) {
        for cluster in word {
            let length = DisplayWidth.of(cluster)
            if column + length > width, !isAtStart { breakLine() }
            append(String(cluster), width: length)
        }
    }

    private mutating func append(_ text: String, width: Int) {
        line += text
        column += width
        isAtStart = false
    }

    private mutating func breakLine() {
        lines.append(line)
        line = indent
        column = DisplayWidth.of(indent)
        isAtStart = true
    }
}
