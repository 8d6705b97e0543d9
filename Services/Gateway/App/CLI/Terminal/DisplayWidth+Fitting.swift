extension DisplayWidth {
    enum Alignment: Sendable {
        case left
        case right
    }

    static let ellipsis = "…"

    /// The text padded with spaces; a longer text is unchanged.
    static func padded(_ text: String, to width: Int, align alignment: Alignment = .left) -> String {
        let spaces = String(repeating: " ", count: max(0, width - of(text)))
        return switch alignment {
        case .left: text + spaces
        case .right: spaces + text
        }
    }

    /// The text if it fits, otherwise its beginning with an ellipsis. The result may be one column narrower than
    /// `width`, because a wide character is never split.
    static func truncated(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        return width > 0 ? prefix(of: text, width: width - 1) + ellipsis : ""
    }

    /// The longest prefix of whole clusters that fits.
    static func prefix(of text: String, width: Int) -> String {
        var room = width
        let fitting = text.prefix { cluster in
            room -= of(cluster)
            return room >= 0
        }
        return String(fitting)
    }
}
