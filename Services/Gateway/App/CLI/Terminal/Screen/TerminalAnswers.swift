/// What the terminal has told about itself.
struct TerminalAnswers: Sendable, Equatable {
    /// How long to wait for the answers. Slow remote connections need that long; a terminal that answers ends the wait.
    static let patience = Duration.seconds(1)

    var hasKittyGraphics = false
    var hasSixel = false
    var background: RGB?
    var cell: CellSize?

    /// Asks for graphics, the background colour and the size of a cell. The device attributes come last: when they are answered, the
    /// terminal has seen all queries. A multiplexer would take the query of kitty for a title.
    static func query(of terminal: Terminal) -> String {
        (terminal.isMultiplexed ? "" : KittyGraphics.query) + "\u{1B}]11;?\u{1B}\\" + "\u{1B}[16t" + "\u{1B}[c"
    }

    init() {}

    /// Waits for the last answer. Keys that are pressed meanwhile are ignored.
    init(from inputs: AsyncStream<Input>) async {
        for await input in inputs {
            if case .answer(let answer) = input, note(answer) { return }
        }
    }

    /// - Returns: whether this was the last answer.
    mutating func note(_ answer: TerminalAnswer) -> Bool {
        switch answer {
        case .kittyGraphics: hasKittyGraphics = true
        case .background(let color): background = color
        case .cell(let size): cell = size
        case .attributes(let hasSixel):
            self.hasSixel = hasSixel
            return true
        case .silence: return true
        }
        return false
    }
}
