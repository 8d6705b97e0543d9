import Foundation
import RPC
import ServiceKit

extension ServiceProcess {
    /// Opens the service's store. On failure it logs one line; a service that requires the store exits.
    ///
    /// If the content of the file is unusable, and the store is an optional cache or the operator asked for a new store, the
    /// file is renamed and an empty store replaces it.
    /// - Parameters:
    ///   - path: of the file. Default: `--store`, else that of the service's name in the root.
    ///   - socket: released before the service exits.
    /// - Throws: `ExitCode`.
    public func openStore(
        _ opening: StoreOpening, at path: String? = nil, _ options: StoreOptions, releasing socket: ListeningSocket
    ) throws -> Store {
        let path = path ?? options.path ?? root.store(name)
        let opening = opening.listed(in: root, isNew: options.isNew)
        let isRequired = options.isRequired(isEdge: opening.isCache)
        let opened = Result { () throws(StoreUnusable) in
            guard opening.isNewIntended || opening.isCache && !isRequired else { return try opening.open(path) }
            return try opening.openReplacing(path, now: Date()) { logger.warning("\($0)") }
        }
        if case .failure(let failure) = opened {
            if isRequired { try fail(releasing: socket) { throw failure } }
            logger.error("\(failure); serving without it")
        }
        return Store(opening, at: path, opened, logger: logger)
    }
}
