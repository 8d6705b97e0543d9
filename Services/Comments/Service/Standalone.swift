import Comments
import Foundation
import JSON
import RPC
import SQLiteKit
import ServiceKit

extension CommentsService {
    /// The composition root of an authority: serves the comments of its own store. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let file = try process.openStore(SQLiteCommentsStore.opening, storeOptions, releasing: socket)
        let store = SQLiteCommentsStore(file)
        let handlers = CommentsHandlers(
            store: store, broadcast: ChangeBroadcast(store), now: { Date() }, newID: { UUID.random() })
        try await process.serve(
            handlers.table, on: socket, health: { await file.health() },
            measures: { file.measures() }, companions: { await file.run() })
        try process.fail { try file.close() }
    }
}
