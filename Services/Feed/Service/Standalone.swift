import Feed
import Foundation
import RPC
import SQLiteKit
import ServiceKit

extension FeedService {
    /// The composition root of an authority: serves the feed of its own store. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let file = try process.openStore(SQLiteFeedStore.opening, storeOptions, releasing: socket)
        let store = SQLiteFeedStore(file)
        let handlers = FeedHandlers(store: store, broadcast: ChangeBroadcast(store), now: { Date() })
        try await process.serve(
            handlers.table, on: socket, health: { await file.health() },
            measures: { file.measures() }, companions: { await file.run() })
        try process.fail { try file.close() }
    }
}
