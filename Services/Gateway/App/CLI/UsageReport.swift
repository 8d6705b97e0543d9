import ArgumentParser
import Foundation

/// The message for arguments that cannot be parsed, or for a request for help.
struct UsageReport {
    let error: any Error
    let arguments: [String]

    init(_ error: any Error, of arguments: [String]) { (self.error, self.arguments) = (error, arguments) }

    func exit() -> Never {
        let output = Output(terminal: .live(), color: .auto, asJSON: asJSON)
        HelpWidth.raise()
        let code = GatewayCommand.exitCode(for: error)
        // Code 0: help, the version, or a completion.
        guard code != .success else { GatewayCommand.exit(withError: error) }
        if asJSON {
            output.report(ErrorReport(message: message, kind: .invalidParams, exitCode: code.rawValue))
        } else {
            output.say(text)
        }
        Foundation.exit(code.rawValue)
    }

    /// Whether the command line that cannot be parsed asks for JSON.
    private var asJSON: Bool { arguments.prefix { $0 != "--" }.contains("--json") }

    var text: String {
        unknownCommand.map { "gateway: \($0)\n  See 'gateway --help' for the commands." }
            ?? GatewayCommand.fullMessage(for: error).replacing("Error: ", with: "gateway: ", maxReplacements: 1)
    }

    private var message: String { unknownCommand ?? GatewayCommand.message(for: error) }

    /// The message for an unknown command, with the nearest known command.
    private var unknownCommand: String? {
        let names = GatewayCommand.configuration.subcommands.map { $0.configuration }.filter(\.shouldDisplay)
            .compactMap(\.commandName)
        guard let word = arguments.first, !word.hasPrefix("-"), !(names + ["help"]).contains(word) else { return nil }
        let nearest = Nearest.to(word, among: names).map { "; did you mean \($0)?" } ?? ""
        return "there is no command \"\(Escaping.visible(word))\"\(nearest)"
    }
}
