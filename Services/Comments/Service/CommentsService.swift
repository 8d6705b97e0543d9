import ArgumentParser
import Comments
import CommentsContract
import Foundation
import RPC
import SQLiteKit
import ServiceKit

/// The composition root of the comments: the only place that knows feature, contract and store at once.
@main
struct CommentsService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comments-service",
        abstract: "Keep the comments of an image feed and serve them over a Unix socket.",
        discussion: """
            Examples:
              comments-service                    serve the default store
              comments-service --root /srv/feed   a deployment of its own
            """,
        version: ServiceProcess.version)

    @OptionGroup var options: ServiceOptions

    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("The SQLite file. Default: ROOT/data/comments.sqlite", valueName: "path"))
    var storePath: String?

    func run() async throws {
        let process = ServiceProcess(name: "comments", options: options)
        let path = storePath ?? options.root.store("comments")
        let socket = try process.takeSocket()
        let pool = try process.fail(releasing: socket) { try SQLiteCommentsStore.opening.open(path) }
        let monitor = StoreMonitor(path: path, logger: process.logger)
        let handlers = CommentsHandlers(
            store: MonitoredCommentsStore(store: SQLiteCommentsStore(pool), monitor: monitor), now: { Date() },
            newID: { UUID() })
        try await process.serve(handlers.table, on: socket, health: { [monitor.check] })
        // Brings what was written last into the file, so that a copy of it is a copy of everything.
        try process.fail { try pool.close() }
    }
}
