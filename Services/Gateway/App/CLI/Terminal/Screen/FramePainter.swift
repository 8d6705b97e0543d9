/// Computes what to write to the terminal, so that it shows a frame: only the lines that have changed.
struct FramePainter: Sendable {
    /// Enters the alternate screen without a cursor and without line wrapping, and reports mouse buttons and pastes.
    static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h"
    static let leaving = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private var shown: Frame?

    /// The ids of the pictures that the terminal stores.
    private var stored: Set<UInt32> = []

    mutating func paint(_ frame: Frame) -> String {
        let isNew =
            shown?.placements != frame.placements || shown?.base != frame.base || shown?.number != frame.number
        guard isNew || shown != frame else { return "" }
        let old = isNew ? [] : shown?.lines ?? []
        // The terminal shows everything between these marks at once.
        var text = "\u{1B}[?2026h\u{1B}[\(frame.base)m"
        if isNew { text += (stored.isEmpty ? "" : KittyGraphics.clear) + "\u{1B}[2J" }
        for (row, line) in frame.lines.enumerated() where row >= old.count || old[row] != line {
            text += Self.move(row, 0) + line + "\u{1B}[\(frame.base)m\u{1B}[K"
        }
        if isNew { for placement in frame.placements { text += sequence(placement) } }
        for id in stored.subtracting(frame.stored).sorted() {
            stored.remove(id)
            text += KittyGraphics.delete(id)
        }
        shown = frame
        return text + "\u{1B}[?2026l"
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
