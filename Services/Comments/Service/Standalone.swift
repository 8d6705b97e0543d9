import Comments
import Foundation
import RPC
import SQLiteKit
import ServiceKit

extension CommentsService {
    /// The composition root of an authority: serves the comments of its own store. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let (store, _) = try process.openAuthority(SQLiteCommentsStore.opening, storeOptions, releasing: socket) {
            SQLiteCommentsStore($0)
        }
        let identity = ServiceIdentity(name: process.name, version: ServiceProcess.version)
        let broadcast = ChangeBroadcast<CommentsChange>(life: identity.instance)
        let handlers = CommentsHandlers(
            store: BroadcastingCommentsStore(store: MonitoredCommentsStore(store: store), broadcast: broadcast),
            broadcast: broadcast, now: { Date() }, newID: { UUID() })
        try await process.serve(handlers.table, on: socket, identity: identity, health: { [store.check] })
        try process.fail { try store.close() }
    }
}
