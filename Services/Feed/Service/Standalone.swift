import Feed
import Foundation
import PostgresKit
import RPC
import SQLiteKit
import ServiceKit

extension FeedService {
    /// The composition root of an authority: serves the feed of its own store. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        guard let url = storeOptions.database else { return try await serveFile(process, on: socket) }
        let database = try await process.openDatabase(FeedTables.schema, at: url, storeOptions, releasing: socket)
        let store = PostgresFeedStore(database)
        let broadcast = ChangeBroadcast(store)
        try await process.serve(
            FeedHandlers(store: store, broadcast: broadcast, now: { Date() }).table, on: socket,
            health: { database.health() }, companions: { await database.run(onChange: broadcast.wake) })
    }

    private func serveFile(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let file = try process.openStore(SQLiteFeedStore.opening, storeOptions, releasing: socket)
        let store = SQLiteFeedStore(file)
        let handlers = FeedHandlers(store: store, broadcast: ChangeBroadcast(store), now: { Date() })
        try await process.serve(
            handlers.table, on: socket, health: { await file.health() },
            measures: { file.measures() }, companions: { await file.run() })
        try process.fail { try file.close() }
    }
}
