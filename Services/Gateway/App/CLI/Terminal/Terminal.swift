import Foundation

/// What the command line knows of the terminal it writes to, as a value: nothing here asks the system, so that every
/// rule can be tested (`Terminal.live()` asks once, at the start).
struct Terminal: Sendable {
    enum Stream: Sendable, CaseIterable {
        case output
        case error
    }

    static let defaultColumns = 80

    let columns: Int
    private let terminals: Set<Stream>
    private let environment: [String: String]

    /// - Parameters:
    ///   - terminals: the streams that are terminals.
    ///   - windowColumns: the width of the terminal's window, nil or not positive when it does not tell.
    ///   - environment: the variables of the process.
    init(terminals: Set<Stream> = [], windowColumns: Int? = nil, environment: [String: String] = [:]) {
        self.terminals = terminals
        self.environment = environment
        self.columns =
            [environment["COLUMNS"].flatMap { Int($0) }, windowColumns].compactMap(\.self).first { $0 > 0 }
            ?? Self.defaultColumns
    }

    func isTerminal(_ stream: Stream) -> Bool {
        terminals.contains(stream)
    }

    /// Whether escape sequences work there: colours, and redrawing a line. No `TERM` at all means a dumb terminal.
    func understandsEscapes(_ stream: Stream) -> Bool {
        isTerminal(stream) && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    func style(for stream: Stream, color: ColorChoice) -> Style {
        Style(isOn: color.isOn(capable: understandsEscapes(stream), environment: environment))
    }
}
