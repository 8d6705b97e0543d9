import ArgumentParser
import Foundation
import ImageData
import ImageDataContract
import RPC
import SQLiteKit
import ServiceKit

/// The composition root of the image data: the only place that knows feature, contract and store at once.
@main
struct ImageDataService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image-data-service",
        abstract: "Keep the bytes of an image feed and serve them over a Unix socket.",
        discussion: """
            Examples:
              image-data-service                    serve the default store
              image-data-service --root /srv/feed   a deployment of its own
            """,
        version: ServiceProcess.version)

    @OptionGroup var options: ServiceOptions

    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("The SQLite file. Default: ROOT/data/image-data.sqlite", valueName: "path"))
    var storePath: String?

    @Option(help: ArgumentHelp("How large an image may be, at most 6000000.", valueName: "bytes"))
    var maxImageBytes = ImageDataMapper.defaultMaximumBytes

    func validate() throws {
        // Larger ones would be kept but could not be answered with: a message takes no more.
        let allowed = 1...ImageDataContract.maximumImageBytes
        guard allowed.contains(maxImageBytes) else {
            throw ValidationError("--max-image-bytes must be from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
    }

    func run() async throws {
        let process = ServiceProcess(name: "image-data", options: options)
        let path = storePath ?? options.root.store("image-data")
        let socket = try process.takeSocket()
        let pool = try process.fail(releasing: socket) { try SQLiteImageStore.opening.open(path) }
        let monitor = StoreMonitor(path: path, logger: process.logger)
        let handlers = ImageDataHandlers(
            mapper: ImageDataMapper(maximumBytes: maxImageBytes),
            store: MonitoredImageStore(store: SQLiteImageStore(pool), monitor: monitor),
            now: { Date() },
            onDamage: { [logger = process.logger] url, trace in
                logger.error("the bytes of \(url) in \(path) fail their checksum", metadata: trace.metadata)
            })
        try await process.serve(handlers.table, on: socket, health: { [monitor.check] })
        // Brings what was written last into the file, so that a copy of it is a copy of everything.
        try process.fail { try pool.close() }
    }
}
