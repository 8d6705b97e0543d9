import ArgumentParser
import Comments
import CommentsContract
import EdgeKit
import Foundation
import RPC
import SQLiteKit
import ServiceKit
import Upstream

/// The composition root of the comments: the only type that knows the feature, the contract and the store.
@main
struct CommentsService: AsyncParsableCommand {
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

    @OptionGroup var options: ServiceOptions

    @OptionGroup(title: "Store") var storeOptions: StoreOptions

    @OptionGroup(title: "Upstream") var upstreamOptions: UpstreamOptions

    @OptionGroup(title: "Profiling") var profileOptions: ProfileOptions

    func validate() throws { try upstreamOptions.requireUpstream() }

    func run() async throws {
        guard !options.isCheck else { return }
        let process = ServiceProcess(name: "comments", options: options)
        let socket = try process.takeSocket()
        if let upstream = upstreamOptions.upstream {
            try await serve(upstream, by: process, on: socket)
        } else {
            try await serveStore(by: process, on: socket)
        }
    }

    /// Serves the comments of the own store.
    private func serveStore(by process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? options.root.store("comments")
        let opening = SQLiteCommentsStore.opening.listed(in: options.root, isNew: storeOptions.isNew)
        let opened = try process.openStore(
            opening, at: path, isRequired: storeOptions.isRequired(isEdge: false), releasing: socket)
        let monitor = StoreMonitor(path: path, logger: process.logger, unusable: opened.failure)
        let slot = StoreSlot(opening, at: path, opened) { SQLiteCommentsStore($0) }
        let store = MonitoredCommentsStore(store: AuthorityStore(slot, monitor))
        let handlers = CommentsHandlers(store: store, now: { Date() }, newID: { UUID() })
        try await process.serve(handlers.table, on: socket, health: { [monitor.check] })
        try process.fail { try slot.close() }
    }

    /// Serves the comments of another server.
    private func serve(_ upstream: UpstreamBase, by process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? options.root.store("comments", of: upstream)
        let client = UpstreamClient(upstreamOptions.settings)
        let opening = SQLiteKeptComments.opening.listed(in: options.root, isNew: storeOptions.isNew)
        let opened = try process.openStore(
            opening, at: path, isRequired: storeOptions.isRequired(isEdge: true), releasing: socket)
        let monitor = StoreMonitor(path: path, logger: process.logger, unusable: opened.failure)
        let slot = StoreSlot(opening, at: path, opened) { SQLiteKeptComments($0) }
        let store = WatchedKeptComments(store: SoftStore(slot, monitor))
        let traced = TracedUpstream(
            client, of: upstream, profiler: profileOptions.profiler(process.logger), logger: process.logger)
        let remote = RemoteComments(
            endpoint: CommentsEndpoint(base: upstream.url), fetch: traced.fetch, store: store, now: { Date() })
        let upstreamMonitor = UpstreamMonitor(upstream, logger: process.logger)
        let comments = EdgeComments(remote: remote, store: store, monitor: upstreamMonitor)
        try await process.serve(
            EdgeHandlers(comments: comments).table, on: socket, health: { [monitor.check, upstreamMonitor.check] },
            companions: {
                async let probing: Void = upstreamMonitor.run { try await traced.probe(upstream) }
                await comments.run()
                await probing
            })
        await client.shutdown()
        try process.fail { try slot.close() }
    }
}
