/// What the user or the terminal itself has sent.
enum Input: Sendable, Equatable {
    case key(Key)
    case mouse(Mouse)
    case answer(TerminalAnswer)

    enum Key: Sendable, Hashable {
        case character(Character)
        /// A letter with the control key.
        case control(Character)
        case enter, escape, backspace, tab
        case up, down, left, right
        case pageUp, pageDown, home, end
    }

    /// A position is counted from 0 at the top left.
    enum Mouse: Sendable, Equatable {
        case press(column: Int, row: Int)
        case wheelUp
        case wheelDown
    }
}

/// The terminal's answer to a query.
enum TerminalAnswer: Sendable, Equatable {
    case kittyGraphics
    case background(RGB)
    case cell(CellSize)
    /// The device attributes, which every terminal knows.
    case attributes(hasSixel: Bool)
    /// The terminal has not answered in time.
    case silence
}
