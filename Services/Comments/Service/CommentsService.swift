import ArgumentParser
import EdgeKit
import PostgresKit
import SQLiteKit
import ServiceKit

/// The program: its options, and the choice between its two compositions.
@main
struct CommentsService: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "comments-service",
        abstract: "Store the comments of an image feed and serve them over a Unix socket.",
        discussion: """
            Examples:
              comments-service                                 serve the default store
              comments-service --root /srv/feed                serve another deployment
              comments-service --upstream https://feed.example serve another server's comments
            """,
        version: ServiceProcess.version)

    static let sections = [ConfigurationFile.services, "comments"]

    static func main() async { await start() }

    @OptionGroup var options: ServiceOptions

    @OptionGroup(title: "Store") var storeOptions: StoreOptions

    @OptionGroup(title: "Maintenance") var maintenance: MaintenanceOptions

    @OptionGroup(title: "Upstream") var upstreamOptions: UpstreamOptions

    @OptionGroup(title: "Profiling") var profileOptions: ProfileOptions

    func validate() throws { try storeOptions.check(isCache: upstreamOptions.upstream != nil, maintenance) }

    func run() async throws {
        let process = ServiceProcess(name: "comments", options: options)
        guard !options.isCheck else {
            // An edge does not use the store, and replaces its cache.
            guard upstreamOptions.upstream == nil else { return }
            if let url = storeOptions.database { return try process.checkDatabase(CommentsTables.schema, at: url) }
            return try process.checkStore(SQLiteCommentsStore.opening, storeOptions)
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
        let (own, path) = (root.store("comments"), storeOptions.path)
        guard let upstream = upstreamOptions.upstream else {
            return [VerifiedStore(SQLiteCommentsStore.opening, at: path ?? own)]
        }
        return [
            VerifiedStore(SQLiteCommentsStore.opening, at: own),
            VerifiedStore(SQLiteCommentsCache.opening, at: path ?? root.store("comments", of: upstream)),
        ]
    }
}
