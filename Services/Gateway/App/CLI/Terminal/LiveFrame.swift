/// Redraws a text in place, for output that is refreshed.
enum LiveFrame {
    /// - Parameters:
    ///   - isFirst: whether the screen must be cleared before.
    ///   - rows: the rows of the screen; later lines of the text are left out.
    static func drawing(_ text: String, isFirst: Bool, rows: Int) -> String {
        // A line feed in the last row would scroll.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(max(1, rows - 1))
        return (isFirst ? "\u{1B}[2J" : "") + "\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
    }
}
