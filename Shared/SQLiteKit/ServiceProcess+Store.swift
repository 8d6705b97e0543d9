import Foundation
import RPC
import ServiceKit

extension ServiceProcess {
    /// Opens the service's store. On failure it logs one line, and the service runs without a store or, with `--strict-store`, exits.
    ///
    /// If the content of the file is unusable, and the store is a cache or the operator asked for a new store, the file is renamed
    /// and an empty store replaces it.
    /// - Parameters:
    ///   - path: of the file. Default: `--store`, else that of the service's name in the root.
    ///   - socket: released before the service exits.
    /// - Throws: `ExitCode`.
    public func openStore(
        _ opening: StoreOpening, at path: String? = nil, _ options: StoreOptions, releasing socket: ListeningSocket
    ) throws -> Store {
        let path = path ?? options.path ?? root.store(name)
        let present = opening.listed(in: root)
        let opening = opening.listed(in: root, isNew: options.isNew)
        let opened = Result { () throws(StoreUnusable) in
            guard opening.isNewIntended || opening.isCache && !options.isStrict else { return try opening.open(path) }
            return try opening.openReplacing(path, now: Date()) { logger.warning("\($0)") }
        }
        if case .failure(let failure) = opened {
            if options.isStrict { try fail(releasing: socket) { throw failure } }
            logger.error("\(failure); serving without it, and trying again")
        }
        // `--new-store` is for the start only, not for later attempts.
        return Store(present, at: path, opened, logger: logger)
    }

    /// For `--check`: refuses a store that a newer version has changed, before these programs replace those that can use it. With
    /// `--new-store`, opens the store as a start would, so that the next start finds it.
    /// - Throws: `ExitCode`, after printing the reason.
    public func checkStore(_ opening: StoreOpening, _ options: StoreOptions) throws {
        let path = options.path ?? root.store(name)
        guard options.isNew else {
            guard opening.isSuperseded(path) else { return }
            throw refusal(StoreUnusable(path: path, reason: .newer))
        }
        let socket = try takeSocket()
        defer { socket.release() }
        let opening = opening.listed(in: root, isNew: true)
        try fail { try opening.close(opening.openReplacing(path, now: Date()) { logger.warning("\($0)") }) }
    }
}
