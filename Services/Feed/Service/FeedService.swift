import ArgumentParser
import EdgeKit
import PostgresKit
import SQLiteKit
import ServiceKit

/// The program: its options, and the choice between its two compositions.
@main
struct FeedService: ConfiguredCommand {
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

    static let sections = [ConfigurationFile.services, "feed"]

    static func main() async { await start() }

    @OptionGroup var options: ServiceOptions

    @OptionGroup(title: "Store") var storeOptions: StoreOptions

    @OptionGroup(title: "Maintenance") var maintenance: MaintenanceOptions

    @OptionGroup(title: "Upstream") var upstreamOptions: UpstreamOptions

    @OptionGroup(title: "Profiling") var profileOptions: ProfileOptions

    @Option(
        name: .customLong("upstream-paging"),
        help: ArgumentHelp(
            "How the upstream pages: by cursor (after_id) or by number (page).", valueName: "cursor|page"))
    var paging = UpstreamPaging.cursor

    func validate() throws {
        try storeOptions.check(isCache: upstreamOptions.upstream != nil, maintenance)
    }

    func run() async throws {
        let process = ServiceProcess(name: "feed", options: options)
        guard !options.isCheck else {
            // An edge does not use the store, and replaces its cache.
            guard upstreamOptions.upstream == nil else { return }
            if let url = storeOptions.database { return try process.checkDatabase(FeedTables.schema, at: url) }
            return try process.checkStore(SQLiteFeedStore.opening, storeOptions)
        }
        if let target = maintenance.copyTarget { return try await copy(to: target, process) }
        guard try !process.maintain(stores(in: options.root), maintenance) else { return }
        let socket = try process.takeSocket()
        if let upstream = upstreamOptions.upstream {
            try await serveEdge(of: upstream, process, on: socket)
        } else {
            try await serveStandalone(process, on: socket)
        }
    }

    /// The stores of this deployment. An edge may have that of the authority that it was before.
    private func stores(in root: Root) -> [VerifiedStore] {
        let (own, path) = (root.store("feed"), storeOptions.path)
        guard let upstream = upstreamOptions.upstream else {
            return [VerifiedStore(SQLiteFeedStore.opening, at: path ?? own, content: SQLiteFeedStore.verify)]
        }
        return [
            VerifiedStore(SQLiteFeedStore.opening, at: own, content: SQLiteFeedStore.verify),
            VerifiedStore(SQLiteFeedCache.opening, at: path ?? root.store("feed", of: upstream)),
        ]
    }
}

/// How an upstream pages.
enum UpstreamPaging: String, ExpressibleByArgument {
    case cursor
    case page
}
