extension DisplayWidth {
    enum Alignment: Sendable {
        case left
        case right
    }

    static let ellipsis = "…"

    /// The text with the spaces that it lacks; a text that is too long stays as it is.
    static func padded(_ text: String, to width: Int, align alignment: Alignment = .left) -> String {
        let spaces = String(repeating: " ", count: max(0, width - of(text)))
        return switch alignment {
        case .left: text + spaces
        case .right: spaces + text
        }
    }

    /// The text itself when it fits, else its beginning with an ellipsis. Never wider than `width`, sometimes one
    /// column less: a wide character is not cut in two.
    static func truncated(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        return width > 0 ? prefix(of: text, width: width - 1) + ellipsis : ""
    }

    /// The longest beginning, in whole clusters, that fits.
    static func prefix(of text: String, width: Int) -> String {
        var room = width
        let fitting = text.prefix { cluster in
            room -= of(cluster)
            return room >= 0
        }
        return String(fitting)
    }
}
