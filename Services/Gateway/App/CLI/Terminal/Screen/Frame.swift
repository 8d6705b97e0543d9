/// What the screen shows: a line for each row, and pictures over blank cells.
struct Frame: Sendable, Equatable {
    struct Placement: Sendable, Equatable {
        let picture: TerminalPicture
        let column: Int
        let row: Int
    }

    /// Styled, and no wider than the screen.
    var lines: [String] = []

    /// Only pictures that are sequences or stored; others are parts of the lines.
    var placements: [Placement] = []
}
