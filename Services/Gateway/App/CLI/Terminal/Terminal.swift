import Foundation

/// The properties of the terminal, as a value. It makes no system calls, so every rule can be tested; `Terminal.live()`
/// reads the system once at the start.
struct Terminal: Sendable {
    enum Stream: Sendable, CaseIterable {
        case input
        case output
        case error
    }

    static let defaultColumns = 80

    let columns: Int
    private let terminals: Set<Stream>
    private let environment: [String: String]

    /// - Parameters:
    ///   - terminals: the streams that are terminals.
    ///   - windowColumns: the width of the terminal's window; nil or not positive when it is unknown.
    ///   - environment: the environment variables of the process.
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

    /// Whether the stream supports escape sequences: colours, and redrawing a line. Without `TERM` the terminal is
    /// dumb.
    func understandsEscapes(_ stream: Stream) -> Bool {
        isTerminal(stream) && !["", "dumb"].contains(environment["TERM"] ?? "")
    }

    /// Whether keys can be read and the screen can be drawn.
    var isInteractive: Bool { isTerminal(.input) && understandsEscapes(.output) }

    /// Whether a multiplexer is between this process and the terminal. It has a grid of text of its own, and passes no pictures on.
    var isMultiplexed: Bool { Self.isMultiplexed(environment) }

    static func isMultiplexed(_ environment: [String: String]) -> Bool {
        environment["TMUX"] != nil || ["screen", "tmux"].contains { (environment["TERM"] ?? "").hasPrefix($0) }
    }

    var colorDepth: ColorDepth { ColorDepth(environment: environment) }

    func style(for stream: Stream, color: ColorChoice) -> Style {
        Style(isOn: color.isOn(capable: understandsEscapes(stream), environment: environment))
    }
}
