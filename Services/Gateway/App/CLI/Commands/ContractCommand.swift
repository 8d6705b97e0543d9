import ArgumentParser
import ContractKit
import Foundation
import RPC

/// Compares contracts. Needs no running gateway.
struct ContractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contract", abstract: "Compare contracts.", subcommands: [ContractDiffCommand.self])
}

struct ContractDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List the changes between two versions of a contract, and which side each of them breaks.",
        discussion: """
            Both are files like contract.json. The exit code is 1 if a change breaks callers or readers.

            Examples:
              gateway contract diff old.json new.json
              git show main:contract.json | gateway contract diff /dev/stdin contract.json
            """)

    @Argument(help: ArgumentHelp("The version that callers know.", valueName: "old"), completion: .file()) var old:
        String

    @Argument(help: ArgumentHelp("The new version.", valueName: "new"), completion: .file()) var new: String

    @Flag(help: "Print the changes as JSON, one per line.") var json = false

    @Option(help: "When to use colours: auto, always or never.") var color = ColorChoice.auto

    func run() async throws {
        let output = Output(terminal: .live(), color: color)
        do {
            let diff = try ContractDiff(from: ContractSuite.contract(file: old), to: ContractSuite.contract(file: new))
            for change in diff.changes { output.print(json ? change.json.json : text(change, output.style)) }
            if diff.changes.isEmpty, !json { output.print("no changes") }
            if diff.isBreaking { throw ExitCode(1) }
        } catch let mistake as ContractMistake {
            output.complain("\(mistake)")
            throw ExitCode(ErrorKind.invalidData.exitCode)
        }
    }

    private func text(_ change: ContractChange, _ style: Style) -> String {
        let place = change.path.isEmpty ? "" : "\(change.path): "
        let effect = change.effect.rawValue
        return (change.isBreaking ? style.red(effect) : effect) + "  " + Escaping.visible(place + change.description)
    }
}
