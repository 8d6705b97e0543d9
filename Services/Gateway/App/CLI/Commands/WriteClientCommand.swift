import ArgumentParser
import ContractCases
import ContractKit
import Foundation
import RPC

struct WriteClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Write a typed client of a contract, as one file without dependencies.",
        discussion: """
            A contract is the name of one that the gateway contains (comments, feed, image-data, likes), or the path of a file \
            like contract.json.

            Examples:
              gateway client python likes -o likes_client.py
              gateway client typescript ./my-contract/contract.json > client.ts
            """)

    @Argument(help: "The language: python or typescript.") var language: ClientWriter.Language

    @Argument(
        help: ArgumentHelp("The contract, or a file.", valueName: "contract"), completion: .list(ContractCases.names))
    var contract: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to this file.", discussion: "Default: standard output.", valueName: "file"),
        completion: .file())
    var file: String?

    func run() async throws {
        let output = Output(terminal: .live(), color: .auto)
        do {
            let text = try ClientWriter.text(
                of: ContractSuite.contract(file: NamedContract.file(contract)), in: language)
            guard let file else { return output.write(Array(text.utf8)) }
            do throws(OutputFile.Failure) {
                try OutputFile(path: file).write(Data(text.utf8))
            } catch {
                output.complain("Cannot write \(Escaping.visible(file)): \(error)")
                throw ExitCode(EX_IOERR)
            }
        } catch let mistake as ContractMistake {
            output.complain("\(mistake)")
            throw ExitCode(ErrorKind.invalidData.exitCode)
        } catch let error as ValidationError {
            // The library would print the usage of `gateway`.
            output.complain(error.message)
            throw ExitCode(ErrorKind.invalidParams.exitCode)
        }
    }
}

extension ClientWriter.Language: ExpressibleByArgument {}
