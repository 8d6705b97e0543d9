import Feed
import Foundation
import RPC
import SQLiteKit
import ServiceKit

extension FeedService {
    /// The composition root of an authority: serves the feed of its own store. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let (store, _) = try process.openAuthority(SQLiteFeedStore.opening, storeOptions, releasing: socket) {
            SQLiteFeedStore($0)
        }
        let identity = ServiceIdentity(name: process.name, version: ServiceProcess.version)
        let broadcast = ChangeBroadcast<FeedChange>(life: identity.instance)
        let handlers = FeedHandlers(
            store: BroadcastingFeedStore(store: MonitoredFeedStore(store: store), broadcast: broadcast),
            broadcast: broadcast, now: { Date() })
        try await process.serve(handlers.table, on: socket, identity: identity, health: { [store.check] })
        try process.fail { try store.close() }
    }
}
