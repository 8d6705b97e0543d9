import Foundation
import Glibc
import Presentation
import RPC

/// Results to standard output, words to standard error.
struct Output: Sendable {
    let terminal: Terminal

    /// How to write to standard output, and to standard error.
    let style: Style
    let errorStyle: Style

    init(terminal: Terminal, color: ColorChoice) {
        self.terminal = terminal
        style = terminal.style(for: .output, color: color)
        errorStyle = terminal.style(for: .error, color: color)
    }

    /// The width to lay tables out for; nil where nobody looks at them on a screen.
    var columns: Int? { terminal.isTerminal(.output) ? terminal.columns : nil }

    /// A result, and a line feed.
    func print(_ text: String) { write(Array((text + "\n").utf8), to: STDOUT_FILENO) }

    func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// A word to the person who waits.
    func say(_ text: String) { write(Array((text + "\n").utf8), to: STDERR_FILENO) }

    /// What a progress bar wants to be written.
    func draw(_ text: String) {
        if !text.isEmpty { write(Array(text.utf8), to: STDERR_FILENO) }
    }

    func complain(_ text: String) { say(errorStyle.red("gateway:") + " " + Escaping.visible(text)) }

    /// An error in the reader's words, where there are any for it, and in the service's. One from behind the gateway with the
    /// trace id under which the services have logged it.
    func report(_ error: RPCError, language: Language, socket: String, trace: TraceContext) {
        let isUnreached = error.kind == .unavailable && error.service == nil
        let kind = isUnreached ? ErrorKind.connectivity : error.kind
        let words = ErrorPresenter.specificMessage(for: kind.rawValue, language: language)
        let service = error.service == "gateway" ? nil : error.service
        complain(
            [words == error.message ? nil : words, service, "\(error.message) (\(error.kind.rawValue))"]
                .compactMap(\.self)
                .joined(separator: ": "))
        if service != nil, let id = trace.id { say("The services' logs have more under the trace id \(id)") }
        if isUnreached {
            say("Nothing seems to run there. Start everything with deploy/up, or the gateway alone with: gateway serve")
            say("Is it another deployment? Name it with --root DIR, or its socket with --socket PATH (now \(socket)).")
        }
    }

    /// Writes all of it. A reader that has gone away (`| head`) ends the command as it ends every other.
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
