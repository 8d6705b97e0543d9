import ArgumentParser
import Foundation
import ServiceKit

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
            ?? suggesting(GatewayCommand.fullMessage(for: error)).replacing(
                "Error: ", with: "gateway: ", maxReplacements: 1)
    }

    private var message: String { unknownCommand ?? suggesting(GatewayCommand.message(for: error)) }

    /// The message for an unknown option with the nearest option of the command; the library suggests any.
    private func suggesting(_ message: String) -> String {
        message.replacing(/Unknown option '(--[^']*)'(?:\. Did you mean '[^']*'\?)?/) { match in
            let option = String(match.1)
            let nearest = nearestOption(to: option).map { ". Did you mean '\($0)'?" } ?? ""
            return "Unknown option '\(option)'\(nearest)"
        }
    }

    /// The nearest option, else the one that begins nearly so.
    private func nearestOption(to typed: String) -> String? {
        var command: any ParsableCommand.Type = GatewayCommand.self
        for word in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { break }
            command = next
        }
        let help = GatewayCommand.helpMessage(for: command, columns: 1_000)
        let options = Set(help.matches(of: /--[a-z][-a-z]*/).map { String($0.0) }).sorted()
        return Nearest.to(typed, among: options)
            ?? options.first { Nearest.to(typed, among: [String($0.prefix(typed.count + 1))]) != nil }
    }

    /// The message for an unknown command, with the nearest known command.
    private var unknownCommand: String? {
        let names = GatewayCommand.configuration.subcommands.map { $0.configuration }.filter(\.shouldDisplay)
            .compactMap(\.commandName)
        guard let word = arguments.first, !word.hasPrefix("-"), !(names + ["help"]).contains(word) else { return nil }
        let nearest = Nearest.to(word, among: names).map { "; did you mean \($0)?" } ?? ""
        return "there is no command \"\(Escaping.visible(word))\"\(nearest)"
    }
}
