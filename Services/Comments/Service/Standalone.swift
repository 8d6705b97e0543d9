import Comments
import Foundation
import JSON
import PostgresKit
import RPC
import SQLiteKit
import ServiceKit

extension CommentsService {
    /// The composition root of an authority: serves the comments of its own store. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        guard let url = storeOptions.database else { return try await serveFile(process, on: socket) }
        let database = try await process.openDatabase(CommentsTables.schema, at: url, storeOptions, releasing: socket)
        let store = PostgresCommentsStore(database)
        let broadcast = ChangeBroadcast(store)
        try await process.serve(
            handlers(store, broadcast).table, on: socket, health: { database.health() },
            companions: { await database.run(onChange: broadcast.wake) })
    }

    private func serveFile(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let file = try process.openStore(SQLiteCommentsStore.opening, storeOptions, releasing: socket)
        let store = SQLiteCommentsStore(file)
        try await process.serve(
            handlers(store, ChangeBroadcast(store)).table, on: socket, health: { await file.health() },
            measures: { file.measures() }, companions: { await file.run() })
        try process.fail { try file.close() }
    }

    private func handlers(
        _ store: any CommentsStore, _ broadcast: ChangeBroadcast<CommentsChange>
    ) -> CommentsHandlers {
        CommentsHandlers(store: store, broadcast: broadcast, now: { Date() }, newID: { UUID.random() })
    }
}
