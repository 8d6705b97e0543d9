import Foundation
import GRDB
import RPC
import ServiceKit

extension ServiceProcess {
    /// Opens the service's store. On failure it logs one line; a service that requires the store exits.
    ///
    /// If the content of the file is unusable, and the store is an optional cache or the operator asked for a new store, the
    /// file is renamed and an empty store replaces it.
    /// - Parameter socket: released before the service exits.
    /// - Returns: the reason why there is no store, for a service that runs without one.
    /// - Throws: `ExitCode`.
    public func openStore(
        _ opening: StoreOpening, at path: String, isRequired: Bool, releasing socket: ListeningSocket
    ) throws -> Result<DatabasePool, StoreUnusable> {
        let isReplaced = opening.isNewIntended || opening.isCache && !isRequired
        do throws(StoreUnusable) {
            guard isReplaced else { return .success(try opening.open(path)) }
            return .success(try opening.openReplacing(path, now: Date()) { logger.warning("\($0)") })
        } catch {
            if isRequired { return try fail(releasing: socket) { throw error } }
            logger.error("\(error); serving without it")
            return .failure(error)
        }
    }
}

extension Result where Success == DatabasePool, Failure == StoreUnusable {
    /// Why there is no store; nil when there is one.
    public var failure: StoreUnusable? { if case .failure(let failure) = self { failure } else { nil } }
}
