/// What the screen shows: a line for each row, and pictures over blank cells.
struct Frame: Sendable, Equatable {
    struct Placement: Sendable, Equatable {
        let picture: TerminalPicture
        let column: Int
        let row: Int
    }

    /// Styled, and no wider than the screen.
    var lines: [String] = []

    /// The parameters of the escape sequence for the screen's colours.
    var base = "0"

    /// A frame with another number is painted completely: the window has another size, or shows something else.
    var number = 0

    /// Only pictures that are sequences or stored; others are parts of the lines.
    var placements: [Placement] = []

    /// The ids of the pictures that the terminal must store, also those that are not on the screen.
    var stored: Set<UInt32> = []
}
