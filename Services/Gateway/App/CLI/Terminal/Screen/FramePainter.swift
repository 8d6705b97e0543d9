/// Computes what to write to the terminal, so that it shows a frame: only the lines that have changed.
struct FramePainter: Sendable {
    /// Enters the alternate screen without a cursor and without line wrapping, and reports mouse buttons and pastes.
    static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"
    static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private var shown: Frame?
    private var base = ""
    private var stored: Set<UInt32> = []

    /// Paints everything next time, for example because the window has another size.
    mutating func forget() { shown = nil }

    /// - Parameter base: the parameters of the escape sequence for the screen's colours.
    mutating func paint(_ frame: Frame, base: String) -> String {
        let isNew = shown?.placements != frame.placements || self.base != base
        guard isNew || shown != frame else { return "" }
        let old = isNew ? [] : shown?.lines ?? []
        // The terminal shows everything between these marks at once.
        var text = "\u{1B}[?2026h\u{1B}[\(base)m"
        if isNew { text += (stored.isEmpty ? "" : KittyGraphics.clear) + "\u{1B}[2J" }
        for (row, line) in frame.lines.enumerated() where row >= old.count || old[row] != line {
            text += Self.move(row, 0) + line + "\u{1B}[\(base)m\u{1B}[K"
        }
        if isNew { for placement in frame.placements { text += sequence(placement) } }
        (shown, self.base) = (frame, base)
        return text + "\u{1B}[?2026l"
    }

    /// Deletes a picture from the terminal's store.
    mutating func release(_ picture: TerminalPicture) -> String {
        guard case .stored(let id, _) = picture.content, stored.remove(id) != nil else { return "" }
        return KittyGraphics.delete(id)
    }

    private mutating func sequence(_ placement: Frame.Placement) -> String {
        let move = Self.move(placement.row, placement.column)
        switch placement.picture.content {
        case .cells: return ""
        case .sequence(let sequence): return move + sequence
        case .stored(let id, let store):
            let isKnown = !stored.insert(id).inserted
            return (isKnown ? "" : store) + move
                + KittyGraphics.place(id, columns: placement.picture.columns, rows: placement.picture.rows)
        }
    }

    private static func move(_ row: Int, _ column: Int) -> String { "\u{1B}[\(row + 1);\(column + 1)H" }
}
