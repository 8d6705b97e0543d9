/// A picture in the form that a terminal shows.
struct TerminalPicture: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        /// Coloured cells: a line for each row.
        case cells([String])
        /// A sequence that draws the picture at the cursor.
        case sequence(String)
        /// A picture that the terminal stores under its id.
        case stored(id: UInt32, String)
    }

    /// The number of cells that it covers.
    let columns: Int
    let rows: Int
    let content: Content

    /// The text that shows it below the cursor, and moves the cursor to the line after it.
    var inlineText: String {
        switch content {
        case .cells(let lines): return lines.map { $0 + "\u{1B}[0m\n" }.joined()
        case .sequence(let sequence): return framed(sequence)
        case .stored(let id, let store): return framed(store + KittyGraphics.place(id, columns: columns, rows: rows))
        }
    }

    /// Makes room for it first, because a sequence at the last line would scroll or be cut off.
    private func framed(_ sequence: String) -> String {
        String(repeating: "\n", count: rows) + "\u{1B}[\(rows)A\u{1B}7" + sequence + "\u{1B}8\u{1B}[\(rows)B\r"
    }
}
