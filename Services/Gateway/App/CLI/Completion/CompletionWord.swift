import ArgumentParser
import ServiceKit

/// A word that the shell may offer, and what it stands for.
struct CompletionWord: Equatable {
    let word: String
    var summary: String?

    /// The maximum width of a summary, so that a word and its summary have one row of a usual terminal.
    static let maximumSummary = 60

    /// The words that every shell takes literally. Names come from plugins, and bash runs the commands in what it is offered.
    static func safe(_ words: [CompletionWord]) -> [CompletionWord] {
        words.filter { word in
            // The position of an element. It is a pattern for files too, but that few files match.
            let rest = word.word.replacing(/\[[0-9]+\]/, with: "")
            return rest.unicodeScalars.allSatisfy(isLiteral) && !rest.isEmpty && rest.first != "="
        }
    }

    private static func isLiteral(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "-", "_", ".", ":", "/", "@", "%", "+", "=", ",": true
        default: scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        }
    }

    /// The word as a line of a shell's list. zsh and fish show the summary beside it.
    /// - Parameter shell: nil for an unknown shell.
    func line(for shell: CompletionShell?) -> String {
        let summary = summary.flatMap { text -> String? in
            let line = text.prefix { !$0.isNewline }
            return line.isEmpty ? nil : DisplayWidth.truncated(Escaping.visible(String(line)), to: Self.maximumSummary)
        }
        switch shell {
        case .zsh?:
            let literal = word.replacing(":", with: "\\:")
            return summary.map { "\(literal):\($0.replacing("\\", with: "\\\\"))" } ?? literal
        case .fish?: return summary.map { "\(word)\t\($0)" } ?? word
        default: return word
        }
    }
}
