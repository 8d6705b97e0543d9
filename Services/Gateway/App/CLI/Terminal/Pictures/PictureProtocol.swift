import ArgumentParser

/// How a terminal shows pictures.
enum PictureProtocol: String, Sendable, CaseIterable, ExpressibleByArgument {
    case kitty
    case iterm2
    case sixel
    /// Coloured half blocks, in every terminal with colours.
    case blocks
    case none

    /// The best one that the terminal has announced.
    /// - Parameter hasColors: whether colours may be used.
    init(_ answers: TerminalAnswers, environment: [String: String], hasColors: Bool) {
        let name = environment["LC_TERMINAL"] ?? environment["TERM_PROGRAM"] ?? ""
        if answers.hasKittyGraphics {
            self = .kitty
        } else if !Terminal.isMultiplexed(environment), ["iTerm2", "iTerm.app", "WezTerm"].contains(name) {
            self = .iterm2
        } else if answers.hasSixel {
            self = .sixel
        } else {
            self = hasColors ? .blocks : .none
        }
    }
}
