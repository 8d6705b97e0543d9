/// Computes the number of terminal columns of a text. The text must be escaped: a control character counts as 0.
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text.utf8.count : text.reduce(0) { $0 + of($1) }
    }

    /// The width of a cluster. It is drawn as one glyph, so it has at most two columns, however many scalars it has.
    static func of(_ cluster: Character) -> Int {
        asksForEmoji(cluster) ? widest : min(cluster.unicodeScalars.reduce(0) { $0 + columns(of: $1) }, widest)
    }

    private static let widest = 2

    private static func asksForEmoji(_ cluster: Character) -> Bool {
        let scalars = cluster.unicodeScalars
        return scalars.first?.properties.isEmoji == true && scalars.contains("\u{FE0F}")
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        guard !(" "..."~").contains(scalar) else { return 1 }
        if takesNoRoom(scalar) { return 0 }
        return scalar.properties.isEmojiPresentation || WideScalars.contains(scalar) ? widest : 1
    }

    private static func takesNoRoom(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark: true
        case .format: scalar.properties.isDefaultIgnorableCodePoint && scalar != softHyphen
        default: false
        }
    }

    /// Invisible in running text, but drawn by terminals.
    private static let softHyphen: Unicode.Scalar = "\u{AD}"
}
