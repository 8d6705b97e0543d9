import Foundation
import GRDB
import RPC
import ServiceKit

extension ServiceProcess {
    /// Opens the service's store. One that cannot be opened is one line, and the end of a service that requires it.
    ///
    /// A file that cannot be used for what is in it is set aside, and an empty store begins, for a cache that is not
    /// required and where the operator asks for a new store.
    /// - Parameter socket: is given back at the end.
    /// - Returns: why there is none, for a service that goes on without.
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
    /// Why there is no store.
    public var failure: StoreUnusable? { if case .failure(let failure) = self { failure } else { nil } }
}
