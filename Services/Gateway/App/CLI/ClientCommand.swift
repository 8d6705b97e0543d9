import ArgumentParser
import ContractKit
import Foundation
import JSON
import Presentation
import RPC

/// A command that calls a running gateway. It connects, runs, and exits with the code of its error.
protocol ClientCommand: AsyncParsableCommand {
    var client: ClientOptions { get }

    /// Whether long output goes through a pager on a terminal. False for output that appears bit by bit.
    static var isPaged: Bool { get }

    /// Whether the gateway answers the errors of this command's calls in the reader's language.
    static var hasTranslatedErrors: Bool { get }

    /// What the user calls the parameters of the command's calls: `["after_id": "--after"]`.
    static var parameterNames: [String: String] { get }

    func run(_ session: Session) async throws
}

extension ClientCommand {
    static var isPaged: Bool { false }
    static var hasTranslatedErrors: Bool { false }
    static var parameterNames: [String: String] { [:] }

    mutating func run() async throws {
        let command = self
        let output = Output(
            terminal: .live(), color: client.color, asJSON: client.json, isPaged: Self.isPaged && client.pager)
        let trace = TraceContext.random()
        noteUnknownLocale(output)
        let failure: CommandFailure
        do {
            defer { output.finish() }
            let path = try SocketPath(client.socket)
            // A user who may use another user's gateway has selected it with --root or --socket.
            return try await RPCClient.withConnection(
                to: path, as: "gateway-cli", peers: .owner(ofDirectoryOf: path)
            ) { connection in
                try await command.run(Session(connection, command.client, output, trace))
            }
        } catch let error as CommandFailure {
            failure = error
        } catch let error as RPCError {
            failure = CommandFailure(error)
        } catch let error as JSONError {
            failure = CommandFailure(RPCError(.invalidData, "the answer violates its contract: \(error)"))
        } catch let mistake as ContractMistake {
            failure = CommandFailure(RPCError(.invalidData, "\(mistake)"))
        } catch let error as SocketError {
            failure = .usage("\(error)")
        } catch let error as ValidationError {
            failure = .usage(error.message, hints: ["See 'gateway \(Self.configuration.commandName ?? "") --help'."])
        }
        let context = ErrorReport.Context(
            language: Language(client.preferredLocale()), place: client.place,
            isTranslated: Self.hasTranslatedErrors, parameterNames: Self.parameterNames)
        let report = ErrorReport(failure, context, trace: trace)
        output.report(report)
        throw ExitCode(report.exitCode)
    }

    /// Says that texts are in English when --locale names another language. An unknown language of the environment is
    /// not reported, because it was not chosen for this command.
    private func noteUnknownLocale(_ output: Output) {
        guard let locale = client.locale, !locale.isEmpty, Language(nearestTo: locale) == nil else { return }
        let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
        output.complain("unknown --locale \(locale); texts are in English. Available: \(known)")
    }
}
