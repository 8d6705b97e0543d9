import ArgumentParser
import Foundation
import RPC
import SQLiteKit
import ServiceKit
import Timing

/// The program: its options and its composition.
@main
struct SearchService: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "search-service",
        abstract: "Index the images and comments of a feed, and find them by words.",
        discussion: """
            The index follows the feed and the comments through the gateway of the deployment, or directly through their \
            sockets. It can be deleted: the service builds it again.

            Examples:
              search-service                                   follow the gateway of the default deployment
              search-service --root /srv/feed                  follow another deployment
              search-service --feed-socket run/feed.sock --comments-socket run/comments.sock
            """,
        version: ServiceProcess.version)

    static let sections = ["search"]

    static func main() async { await start() }

    @OptionGroup var options: ServiceOptions

    @OptionGroup(title: "Store") var storeOptions: StoreOptions

    @OptionGroup(title: "Maintenance") var maintenance: MaintenanceOptions

    @Option(
        help: ArgumentHelp(
            "The Unix socket of the feed.", discussion: "Default: ROOT/run/gateway.sock.", valueName: "path"),
        completion: .file())
    var feedSocket: String?

    @Option(
        help: ArgumentHelp(
            "The Unix socket of the comments.", discussion: "Default: ROOT/run/gateway.sock.", valueName: "path"),
        completion: .file())
    var commentsSocket: String?

    func validate() throws { try storeOptions.check(isCache: true, maintenance) }

    func run() async throws {
        guard !options.isCheck else { return }
        let process = ServiceProcess(name: "search", options: options)
        let file = storeOptions.path ?? options.root.store(process.name)
        guard try !process.maintain([VerifiedStore(SearchIndex.opening, at: file)], maintenance) else { return }
        let socket = try process.takeSocket()
        let gateway = options.root.socket("gateway")
        let (feedPath, commentsPath) = try process.fail(releasing: socket) {
            (try SocketPath(feedSocket ?? gateway), try SocketPath(commentsSocket ?? gateway))
        }
        let index = try process.openStore(SearchIndex.opening, storeOptions, releasing: socket)
        let feed = await RPCClient.make(to: feedPath, as: process.name, version: ServiceProcess.version)
        let comments =
            commentsPath == feedPath
            ? feed : await RPCClient.make(to: commentsPath, as: process.name, version: ServiceProcess.version)
        let services = FollowedServices(feed: feed, comments: comments)
        let standing = IndexStanding(logger: process.logger, now: { Date() })
        let follower = Follower(
            services: services, index: index, standing: standing, logger: process.logger, clock: .system)
        try await process.serve(
            SearchHandlers(index: index, standing: standing).table, on: socket,
            health: { await index.health() + standing.checks }, measures: { index.measures(as: "index") },
            companions: {
                async let watching: Void = index.run()
                async let connecting: Void = services.run()
                await follower.run()
                _ = await (connecting, watching)
            })
        try process.fail { try index.close() }
    }
}
