import Foundation

/// Shows the current step on a terminal.
package struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1

    package init() {}

    package func show(_ text: String) {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
    }

    package func clear() { show("") }
}
