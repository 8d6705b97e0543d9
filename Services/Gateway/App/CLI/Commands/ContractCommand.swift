import ArgumentParser
import ContractKit
import Foundation
import ServiceKit

/// Compares contracts. Needs no running gateway.
struct ContractCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contract", abstract: "Compare contracts.", subcommands: [ContractDiffCommand.self])
}

struct ContractDiffCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "List the changes between two versions of a contract, and which side each of them breaks.",
        discussion: """
            Each is a file like contract.json, or the name of a contract that the gateway contains (comments, feed, image-data, \
            likes, protocol and those of our plugins). The exit code is 1 if a change breaks callers or readers.

            Examples:
              gateway contract diff likes ./contract.json
              gateway contract diff old.json new.json
              git show main:contract.json | gateway contract diff /dev/stdin contract.json
            """)

    @Argument(help: ArgumentHelp("The version that callers know.", valueName: "old"), completion: .file()) var old:
        String

    @Argument(help: ArgumentHelp("The new version.", valueName: "new"), completion: .file()) var new: String

    @Flag(help: "Print the changes as JSON, one per line.") var json = false

    @Option(help: "When to use colours: auto, always or never.") var color = ColorChoice.auto

    var output: Output { Output(terminal: .live(), color: color, asJSON: json) }

    func run(_ output: Output) async throws {
        let diff = try ContractDiff(
            from: ContractSuite.contract(file: NamedContract.file(old)),
            to: ContractSuite.contract(file: NamedContract.file(new)))
        for change in diff.changes { output.print(json ? change.json.json : text(change, output.style)) }
        if diff.changes.isEmpty, !json { output.print("no changes") }
        if diff.isBreaking { throw ExitCode(1) }
    }

    private func text(_ change: ContractChange, _ style: Style) -> String {
        let place = change.path.isEmpty ? "" : "\(change.path): "
        let effect = change.effect.rawValue
        return (change.isBreaking ? style.red(effect) : effect) + "  " + Escaping.visible(place + change.description)
    }
}
