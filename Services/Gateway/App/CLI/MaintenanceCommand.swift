import ArgumentParser
import Foundation
import RPC
import ServiceKit

/// A command that works on the files of a deployment, beside its programs or without them. Ctrl-C ends it in order.
protocol MaintenanceCommand: LocalCommand, Sendable {
    /// - Throws: also `ServiceProgram.Refusal`, `SyncedFile.Failure`, `CocoaError` and `CancellationError`.
    func work(_ output: Output) async throws
}

extension MaintenanceCommand {
    func run(_ output: Output) async throws {
        do {
            try await Interruption.cancelling { try await work(output) }
        } catch let refusal as ServiceProgram.Refusal {
            throw CommandFailure(RPCError(.internalError, refusal.description), exitCode: refusal.exitCode)
        } catch let rejection as FileRejection {
            throw CommandFailure(RPCError(.invalidData, "\(rejection)"), exitCode: EX_CONFIG)
        } catch let failure as SyncedFile.Failure {
            throw CommandFailure(writing: failure.path, failure.code)
        } catch let error as CocoaError {
            throw CommandFailure(RPCError(.internalError, error.localizedDescription), exitCode: EX_CANTCREAT)
        } catch is CancellationError {
            throw CommandFailure(RPCError(.cancelled, "cancelled"))
        }
    }
}

extension RootOption {
    /// The root of a deployment.
    /// - Throws: `CommandFailure` if there is no such directory.
    func existing() throws(CommandFailure) -> Root {
        guard !FileManager.default.fileExists(atPath: root.path) else { return root }
        throw CommandFailure(RPCError(.notFound, "there is no deployment \(root.path); name its directory with --root"))
    }
}
