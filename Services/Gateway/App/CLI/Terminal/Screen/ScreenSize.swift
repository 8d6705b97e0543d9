import Foundation

/// The size of the terminal's window in cells.
struct ScreenSize: Sendable, Equatable {
    let columns: Int
    let rows: Int

    /// The rows of a terminal that does not tell its size.
    static let usualRows = 24

    /// The size now; nil when standard output is no terminal, or does not know it.
    static func live() -> ScreenSize? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
