import ArgumentParser
import ContractKit
import Foundation
import RPC
import ServiceKit

/// A command that needs no gateway. It runs, and exits with the code of its error.
protocol LocalCommand: AsyncParsableCommand {
    var output: Output { get }

    func run(_ output: Output) async throws
}

extension LocalCommand {
    mutating func run() async throws {
        let output = output
        let failure: CommandFailure
        do {
            return try await run(output)
        } catch let error as CommandFailure {
            failure = error
        } catch let mistake as ContractMistake {
            failure = CommandFailure(RPCError(.invalidData, "\(mistake)"))
        } catch let rejection as FileRejection {
            failure = CommandFailure(RPCError(.invalidData, "Cannot use the plugin: \(rejection)"))
        } catch let error as ValidationError {
            failure = .usage(error.message)
        }
        let report = ErrorReport(failure)
        output.report(report)
        throw ExitCode(report.exitCode)
    }
}

extension ErrorReport {
    /// An error of this process, whose message is in English.
    init(_ failure: CommandFailure) {
        self.init(
            message: failure.error.message, kind: failure.exitCode == nil ? failure.error.kind : nil,
            exitCode: failure.exitCode ?? failure.error.kind.exitCode, hints: failure.hints)
    }
}
