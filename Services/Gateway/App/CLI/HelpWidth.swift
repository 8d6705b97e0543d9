import Foundation
import Glibc

/// The width of help texts. The argument parser indents explanations by 28 columns, and fails in a terminal that has no column
/// beside them.
enum HelpWidth {
    static let minimum = 40

    /// Lets the parser assume at least the minimum. `Output` reads the width of the terminal itself.
    static func limit() {
        guard let columns = columns, columns < minimum else { return }
        setenv(parserVariable, String(minimum), 1)
    }

    private static let parserVariable = "COLUMNS"

    private static var columns: Int? {
        if let text = ProcessInfo.processInfo.environment[parserVariable] { return Int(text) }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
