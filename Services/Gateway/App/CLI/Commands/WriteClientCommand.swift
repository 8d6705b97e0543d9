import ArgumentParser
import ContractKit
import Foundation
import RPC

struct WriteClientCommand: LocalCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Write a typed client of a contract, as one file without dependencies.",
        discussion: """
            A contract is the name of one that the gateway contains (comments, feed, image-data, likes, protocol and those of our \
            plugins), or the path of a file \
            like contract.json.

            Examples:
              gateway client python likes -o likes_client.py
              gateway client typescript ./my-contract/contract.json > client.ts
            """)

    @Argument(help: "The language: python or typescript.") var language: ClientWriter.Language

    @Argument(
        help: ArgumentHelp("The contract, or a file.", valueName: "contract"),
        completion: .list(NamedContract.described))
    var contract: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to this file.", discussion: "Default: standard output.", valueName: "file"),
        completion: .file())
    var file: String?

    var output: Output { Output(terminal: .live(), color: .auto) }

    func run(_ output: Output) async throws {
        // The name is part of a comment in the client, so it must be free of quotes and line feeds.
        let name = contract.shellWord == contract ? contract : nil
        let text = try ClientWriter.text(
            of: ContractSuite.contract(file: NamedContract.file(contract)), named: name, in: language)
        guard let file else { return output.write(Array(text.utf8)) }
        do throws(OutputFile.Failure) {
            try OutputFile(path: file).write(Data(text.utf8))
        } catch {
            throw CommandFailure(RPCError(.internalError, "Cannot write \(file): \(error)"), exitCode: EX_IOERR)
        }
    }
}

extension ClientWriter.Language: ExpressibleByArgument {}
