import ArgumentParser
import ContractKit
import Foundation
import JSON
import RPC

struct WriteClientCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "client",
        abstract: "Write a typed client of a contract, as one file without dependencies.",
        discussion: """
            A contract is the name of one that the gateway contains (comments, feed, image-data, likes, protocol and those of our \
            plugins), the name of a running plugin, or the path of a file like contract.json.

            Examples:
              gateway client python likes -o likes_client.py
              gateway client python places       the running plugin places
              gateway client typescript ./my-contract/contract.json > client.ts
            """)

    @OptionGroup var client: ClientOptions

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

    func run(_ session: Session) async throws {
        // The name is part of a comment in the client, so it must be free of quotes and line feeds.
        let name = contract.shellWord == contract ? contract : nil
        let text = try ClientWriter.text(of: await declared(session), named: name, in: language)
        guard let file else { return session.output.write(Array(text.utf8)) }
        do throws(OutputFile.Failure) {
            try OutputFile(path: file).write(Data(text.utf8))
        } catch {
            throw CommandFailure(RPCError(.internalError, "Cannot write \(file): \(error)"), exitCode: EX_IOERR)
        }
    }

    private func declared(_ session: Session) async throws -> JSONValue {
        let file: String
        do throws(ValidationError) {
            file = try NamedContract.file(contract)
        } catch let unknown {
            do {
                guard let running = try await running(session) else { throw unknown }
                return running
            } catch is RPCError {
                // There is no such plugin, or no gateway.
                throw unknown
            }
        }
        return try ContractSuite.contract(file: file)
    }

    /// The contract of a running plugin.
    private func running(_ session: Session) async throws -> JSONValue? {
        let contracts = try await session.call(ProtocolMethods.describe, ServiceSelection(service: contract)).contracts
        let found = contracts.first { $0.name == contract }
        return try found.map { try JSONValue(RawJSON($0, as: Contract.codec)) }
    }
}

extension ClientWriter.Language: ExpressibleByArgument {}
