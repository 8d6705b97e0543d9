import ArgumentParser
import Feed
import FeedContract
import RPC
import SQLiteKit
import ServiceKit

/// The composition root of the feed: the only place that knows feature, contract and store at once.
@main
struct FeedService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed-service",
        abstract: "Keep an image feed and serve it page by page over a Unix socket.",
        discussion: """
            Examples:
              feed-service                    serve the default store
              feed-service --root /srv/feed   a deployment of its own
            """,
        version: ServiceProcess.version)

    @OptionGroup var options: ServiceOptions

    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("The SQLite file. Default: ROOT/data/feed.sqlite", valueName: "path"))
    var storePath: String?

    func run() async throws {
        let process = ServiceProcess(name: "feed", options: options)
        let path = storePath ?? options.root.store("feed")
        let socket = try process.takeSocket()
        let pool = try process.fail(releasing: socket) { try SQLiteFeedStore.opening.open(path) }
        let monitor = StoreMonitor(path: path, logger: process.logger)
        let identity = ServiceIdentity(name: process.name, version: ServiceProcess.version)
        let broadcast = FeedBroadcast(life: identity.instance)
        let store = BroadcastingFeedStore(
            store: MonitoredFeedStore(store: SQLiteFeedStore(pool), monitor: monitor), broadcast: broadcast)
        let handlers = FeedHandlers(store: store, broadcast: broadcast)
        try await process.serve(handlers.table, on: socket, identity: identity, health: { [monitor.check] })
        // Brings what was written last into the file, so that a copy of it is a copy of everything.
        try process.fail { try pool.close() }
    }
}
