import Comments
import EdgeKit
import Foundation
import RPC
import SQLiteKit
import ServiceKit
import Upstream

extension CommentsService {
    /// The composition root of an edge: serves another server's comments with `EdgeComments`, from the upstream while
    /// it responds, otherwise from the cache. `Standalone.swift` is that of an authority.
    func serveEdge(of base: UpstreamBase, _ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? process.root.store("comments", of: base)
        let store = try process.openStore(SQLiteCommentsCache.opening, at: path, storeOptions, releasing: socket)
        let client = UpstreamClient(upstreamOptions.settings)
        let traced = TracedUpstream(
            client, of: base, profiler: profileOptions.profiler(process.logger), logger: process.logger)
        let upstream = UpstreamMonitor(base, logger: process.logger)
        let cache = SQLiteCommentsCache(store)
        let broadcast = ChangeBroadcast(cache)
        store.onReplacement(broadcast.wake)
        let remote = RemoteComments(
            endpoint: CommentsEndpoint(base: base.url), fetch: traced.fetch(), cache: cache, broadcast: broadcast,
            now: { Date() })
        let comments = EdgeComments(
            remote: remote, cache: cache, monitor: upstream,
            onFault: { process.logger.error("cannot remove comments from the cache: \($0)") })
        let eventsClient = UpstreamClient(upstreamOptions.eventsSettings)
        let events = UpstreamEvents(
            remote.endpoint.events, upstream, logger: process.logger, get: { try await eventsClient.get($0) },
            onState: comments.note)
        try await process.serve(
            EdgeHandlers(comments: comments, broadcast: broadcast).table, on: socket,
            health: { await store.health(as: "cache") + upstream.checks },
            measures: { store.measures(as: "cache").adding(upstream.measures).adding(comments.current.measures) },
            companions: {
                async let watching: Void = store.run()
                async let fetching: Void = comments.run()
                async let following: Void = events.run()
                await upstream.run { try await traced.probe(base) }
                _ = await (fetching, watching, following)
            })
        await client.shutdown()
        await eventsClient.shutdown()
        try process.fail { try store.close() }
    }
}
