import Foundation
import ImageData
import RPC
import SQLiteKit
import ServiceKit

extension ImageDataService {
    /// Composes and runs a service that is itself where images come from.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? options.root.store("image-data")
        let pool = try process.fail(releasing: socket) { try SQLiteImageStore.opening.open(path) }
        let monitor = StoreMonitor(path: path, logger: process.logger)
        let handlers = ImageDataHandlers(
            mapper: mapper, store: MonitoredImageStore(store: SQLiteImageStore(pool), monitor: monitor),
            now: { Date() },
            onDamage: { [logger = process.logger] url, trace in
                logger.error("the bytes of \(url) in \(path) fail their checksum", metadata: trace.metadata)
            })
        try await process.serve(handlers.table, on: socket, health: { [monitor.check] })
        // Brings what was written last into the file, so that a copy of it is a copy of everything.
        try process.fail { try pool.closeIntoOneFile() }
    }
}
