import GRDB
import RPC
import ServiceKit

extension ServiceProcess {
    /// Opens the service's store. One that cannot be opened is one line, and the end of a service that requires it.
    /// - Parameter socket: is given back at the end.
    /// - Returns: why there is none, for a service that goes on without.
    public func openStore(
        _ opening: StoreOpening, at path: String, isRequired: Bool, releasing socket: ListeningSocket
    ) throws -> Result<DatabasePool, StoreUnusable> {
        do throws(StoreUnusable) {
            return .success(try opening.open(path))
        } catch {
            if isRequired { return try fail(releasing: socket) { throw error } }
            logger.error("\(error); serving without keeping anything")
            return .failure(error)
        }
    }
}

extension Result where Success == DatabasePool, Failure == StoreUnusable {
    /// Why there is no store.
    public var failure: StoreUnusable? { if case .failure(let failure) = self { failure } else { nil } }
}
