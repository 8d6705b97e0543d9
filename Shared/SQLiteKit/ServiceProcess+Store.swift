import Foundation
import GRDB
import RPC
import ServiceKit

extension ServiceProcess {
    /// Opens the store of an authority.
    /// - Parameter socket: released before the service exits.
    /// - Throws: `ExitCode`, after logging one line.
    public func openAuthority(
        _ opening: StoreOpening, _ options: StoreOptions, releasing socket: ListeningSocket
    ) throws -> (store: AuthorityStore, path: String) {
        let path = options.path ?? root.store(name)
        let (slot, monitor) = try open(opening, at: path, options, isEdge: false, releasing: socket)
        return (AuthorityStore(slot, monitor), path)
    }

    /// Opens the store of a cache. See `openAuthority`.
    public func openCache(
        _ opening: StoreOpening, at path: String, _ options: StoreOptions, releasing socket: ListeningSocket
    ) throws -> CacheStore {
        let (slot, monitor) = try open(opening, at: path, options, isEdge: true, releasing: socket)
        return CacheStore(slot, monitor)
    }

    private func open(
        _ opening: StoreOpening, at path: String, _ options: StoreOptions, isEdge: Bool,
        releasing socket: ListeningSocket
    ) throws -> (StoreSlot, StoreMonitor) {
        let opening = opening.listed(in: root, isNew: options.isNew)
        let opened = try openStore(
            opening, at: path, isRequired: options.isRequired(isEdge: isEdge), releasing: socket)
        let monitor = StoreMonitor(path: path, logger: logger, unusable: opened.failure)
        return (StoreSlot(opening, at: path, opened), monitor)
    }

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
