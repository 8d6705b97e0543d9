import ArgumentParser
import EdgeKit
import Feed
import FeedContract
import RPC
import SQLiteKit
import ServiceKit
import Upstream

/// The composition root of the feed: the only type that knows the feature, the contract and the store.
@main
struct FeedService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed-service",
        abstract: "Store an image feed and serve it page by page over a Unix socket.",
        discussion: """
            Examples:
              feed-service                    serve the default store
              feed-service --root /srv/feed   serve another deployment
              feed-service --upstream https://feed.example
                                              serve another server's feed; cached pages while it is down
            """,
        version: ServiceProcess.version)

    @OptionGroup var options: ServiceOptions

    @OptionGroup(title: "Store") var storeOptions: StoreOptions

    @OptionGroup(title: "Upstream") var upstreamOptions: UpstreamOptions

    @OptionGroup(title: "Profiling") var profileOptions: ProfileOptions

    @Option(
        name: .customLong("upstream-paging"),
        help: ArgumentHelp(
            "How the upstream pages: by cursor (after_id) or by number (page).", valueName: "cursor|page"))
    var paging = UpstreamPaging.cursor

    func validate() throws { try upstreamOptions.requireUpstream() }

    func run() async throws {
        guard !options.isCheck else { return }
        let process = ServiceProcess(name: "feed", options: options)
        if let upstream = upstreamOptions.upstream {
            try await serveEdge(of: upstream, process)
        } else {
            try await serveAuthority(process)
        }
    }

    private func serveAuthority(_ process: ServiceProcess) async throws {
        let path = storeOptions.path ?? options.root.store("feed")
        let socket = try process.takeSocket()
        let opening = SQLiteFeedStore.opening.listed(in: options.root, isNew: storeOptions.isNew)
        let opened = try process.openStore(
            opening, at: path, isRequired: storeOptions.isRequired(isEdge: false), releasing: socket)
        let monitor = StoreMonitor(path: path, logger: process.logger, unusable: opened.failure)
        let identity = ServiceIdentity(name: process.name, version: ServiceProcess.version)
        let broadcast = FeedBroadcast(life: identity.instance)
        let slot = StoreSlot(opening, at: path, opened) { SQLiteFeedStore($0) }
        let store = MonitoredFeedStore(store: AuthorityStore(slot, monitor))
        let handlers = FeedHandlers(
            store: BroadcastingFeedStore(store: store, broadcast: broadcast),
            broadcast: broadcast)
        try await process.serve(handlers.table, on: socket, identity: identity, health: { [monitor.check] })
        try process.fail { try slot.close() }
    }
}

/// How an upstream pages.
enum UpstreamPaging: String, ExpressibleByArgument {
    case cursor
    case page
}
