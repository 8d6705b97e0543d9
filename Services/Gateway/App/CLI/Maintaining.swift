import Foundation
import RPC
import ServiceKit

/// Turns the errors of work on files and stores into those of a command.
enum Maintaining {
    static func result<Value>(_ work: () async throws -> Value) async -> Result<Value, CommandFailure> {
        do {
            return .success(try await work())
        } catch let failure as CommandFailure {
            return .failure(failure)
        } catch let refusal as ServiceProgram.Refusal {
            return .failure(CommandFailure(RPCError(.internalError, refusal.description), exitCode: refusal.exitCode))
        } catch let rejection as FileRejection {
            return .failure(CommandFailure(RPCError(.invalidData, "\(rejection)"), exitCode: EX_CONFIG))
        } catch let failure as SyncedFile.Failure {
            return .failure(CommandFailure(writing: failure.path, failure.code))
        } catch is CancellationError {
            return .failure(CommandFailure(RPCError(.cancelled, "cancelled; nothing has changed")))
        } catch {
            return .failure(
                CommandFailure(
                    RPCError(.internalError, (error as NSError).localizedDescription), exitCode: EX_CANTCREAT))
        }
    }
}
