import Foundation
import Glibc
import JSON
import Presentation
import RPC
import ServiceKit

/// Prints results to standard output, and messages to standard error.
struct Output: Sendable {
    let terminal: Terminal

    /// The styles of standard output and of standard error.
    let style: Style
    let errorStyle: Style

    /// Whether messages are JSON, one document a line.
    private let asJSON: Bool

    /// Set if results may go through a pager.
    private let pager: Pager?

    init(terminal: Terminal, color: ColorChoice, asJSON: Bool = false, isPaged: Bool = false) {
        self.terminal = terminal
        self.asJSON = asJSON
        style = terminal.style(for: .output, color: color)
        errorStyle = terminal.style(for: .error, color: color)
        pager = isPaged && terminal.isInteractive ? Pager(on: terminal, size: .live()) : nil
    }

    /// The width for tables; nil when standard output is not a terminal.
    var columns: Int? { terminal.isTerminal(.output) ? terminal.columns : nil }

    /// A text in lines that fit the terminal.
    func folded(_ text: String) -> String {
        columns.map { Wrapping.lines(text, width: $0).joined(separator: "\n") } ?? text
    }

    /// The colours of standard output; nil without colours.
    var colorDepth: ColorDepth? { style.isOn ? terminal.colorDepth : nil }

    /// Prints a result and a line feed.
    func print(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        if let pager {
            pager.write(bytes) { write($0, to: $1) }
        } else {
            write(bytes, to: STDOUT_FILENO)
        }
    }

    /// Prints a JSON document: on a terminal with indentation, otherwise as one line.
    func print(_ json: RawJSON) { print(terminal.isTerminal(.output) ? json.indented : "\(json)") }

    /// Prints a JSON document as one line.
    func print(line json: RawJSON) { print(terminal.isTerminal(.output) ? Escaping.json("\(json)") : "\(json)") }

    /// Replaces the last text on the terminal. If standard output is not a terminal, prints the text below the last one.
    func redraw(_ text: String, isFirst: Bool) {
        guard terminal.understandsEscapes(.output) else { return print(text) }
        let rows = ScreenSize.live()?.rows ?? ScreenSize.usualRows
        write(Array(LiveFrame.drawing(text, isFirst: isFirst, rows: rows).utf8))
    }

    func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Shows all results; waits until the user has left the pager.
    func finish() { pager?.finish { write($0, to: $1) } }

    /// Prints a message to standard error.
    func say(_ text: String) {
        write(Array(((asJSON ? Self.json("note", text) : text) + "\n").utf8), to: STDERR_FILENO)
    }

    /// Prints a call.
    func note(_ call: CallReport) {
        let text =
            asJSON
            ? "\(RawJSON(["call": call], as: .dictionary(of: CallReport.codec)))"
            : errorStyle.dim(Escaping.visible(call.text))
        write(Array((text + "\n").utf8), to: STDERR_FILENO)
    }

    /// Prints the output of a progress bar.
    func draw(_ text: String) {
        if !text.isEmpty { write(Array(text.utf8), to: STDERR_FILENO) }
    }

    /// Prints a warning: a fault that does not end the command.
    func complain(_ text: String) {
        guard !asJSON else { return write(Array((Self.json("warning", text) + "\n").utf8), to: STDERR_FILENO) }
        say(errorStyle.red("gateway:") + " " + Escaping.visible(text))
    }

    /// Prints the error that ends the command.
    func report(_ error: ErrorReport) {
        guard !asJSON else { return write(Array("\(error.json)\n".utf8), to: STDERR_FILENO) }
        complain(error.line)
        for hint in error.hints { say(Escaping.visible(hint)) }
    }

    private static func json(_ name: String, _ text: String) -> String {
        "\(RawJSON([name: text], as: .dictionary(of: .string)))"
    }

    /// Writes all bytes. If the reader has closed the pipe (`| head`), the command exits as on SIGPIPE.
    private func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            switch (count, errno) {
            case (0..., _): rest = rest.dropFirst(count)
            case (_, EINTR): continue
            case (_, EPIPE): exit(128 + SIGPIPE)
            default:
                let reason = String(cString: strerror(errno))
                if descriptor != STDERR_FILENO { complain("cannot write the result: \(reason)") }
                exit(EX_IOERR)
            }
        }
    }
}
