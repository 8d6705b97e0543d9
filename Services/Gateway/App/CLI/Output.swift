import Foundation
import Glibc
import Presentation
import RPC

/// Prints results to standard output, and messages to standard error.
struct Output: Sendable {
    let terminal: Terminal

    /// The styles of standard output and of standard error.
    let style: Style
    let errorStyle: Style

    init(terminal: Terminal, color: ColorChoice) {
        self.terminal = terminal
        style = terminal.style(for: .output, color: color)
        errorStyle = terminal.style(for: .error, color: color)
    }

    /// The width for tables; nil when standard output is not a terminal.
    var columns: Int? { terminal.isTerminal(.output) ? terminal.columns : nil }

    /// The colours of standard output; nil without colours.
    var colorDepth: ColorDepth? { style.isOn ? terminal.colorDepth : nil }

    /// Prints a result and a line feed.
    func print(_ text: String) { write(Array((text + "\n").utf8), to: STDOUT_FILENO) }

    func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Prints a message to standard error.
    func say(_ text: String) { write(Array((text + "\n").utf8), to: STDERR_FILENO) }

    /// Prints the output of a progress bar.
    func draw(_ text: String) {
        if !text.isEmpty { write(Array(text.utf8), to: STDERR_FILENO) }
    }

    func complain(_ text: String) { say(errorStyle.red("gateway:") + " " + Escaping.visible(text)) }

    /// Prints an error: the text for its kind in the user's language, if there is one, then the service's message. For
    /// an error that a process has answered and logged it also prints the trace id of the log line.
    func report(_ error: RPCError, language: Language, socket: String, trace: TraceContext) {
        let texts = Texts(language)
        let isUnreached = error.kind == .unavailable && error.service == nil
        let kind = isUnreached ? ErrorKind.connectivity : error.kind
        let words = ErrorPresenter.specificMessage(for: kind.rawValue, language: language)
        let service = error.service == "gateway" ? nil : error.service
        complain(
            [words == error.message ? nil : words, service, "\(error.message) (\(error.kind.rawValue))"]
                .compactMap(\.self)
                .joined(separator: ": "))
        // Servers log errors of class 5xx only (PROTOCOL.md §6.8). An error without a service was made in this process.
        if error.service != nil, error.kind.isServerError, let id = trace.id {
            say(texts.text(.traceHint, id))
        }
        if isUnreached {
            say(texts[.noGateway])
            say(texts.text(.otherDeployment, socket))
        }
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
