import Foundation

/// The width of help. The argument parser indents explanations by 28 columns, and fails in a terminal without columns beside them.
enum HelpWidth {
    static let minimum = 40

    /// Lets the parser assume the minimum. Only for a process that shows help and ends: `Terminal` would read the same variable.
    static func raise() {
        guard Terminal.live().helpColumns < minimum else { return }
        setenv("COLUMNS", "\(minimum)", 1)
    }
}

extension Terminal {
    /// The width that the parser assumes: the usual one if standard output is not a terminal, unless the environment has another.
    fileprivate var helpColumns: Int {
        isTerminal(.output) || ProcessInfo.processInfo.environment["COLUMNS"] != nil ? columns : Self.defaultColumns
    }
}
