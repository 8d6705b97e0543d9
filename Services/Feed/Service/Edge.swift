import EdgeKit
import EdgeModel
import Feed
import Foundation
import RPC
import SQLiteKit
import ServiceKit
import Upstream

extension FeedService {
    /// The composition root of an edge: serves another server's feed with `EdgeFeed`, from the upstream while it
    /// responds, otherwise from the cache. `Standalone.swift` is that of an authority.
    func serveEdge(of base: UpstreamBase, _ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? process.root.store("feed", of: base)
        let store = try process.openStore(SQLiteFeedCache.opening, at: path, storeOptions, releasing: socket)
        let client = UpstreamClient(upstreamOptions.settings)
        let traced = TracedUpstream(
            client, of: base, profiler: profileOptions.profiler(process.logger), logger: process.logger)
        let upstream = UpstreamMonitor(base, logger: process.logger)
        let cache = SQLiteFeedCache(store)
        let now = { @Sendable in Date() }
        let (endpoint, fetch) = (FeedEndpoint(base.url), traced.fetch(maximumBytes: FeedCachePolicy.answerBytes))
        let broadcast = ChangeBroadcast(cache)
        store.onReplacement(broadcast.wake)
        let feed = EdgeFeed(
            source: source(endpoint, fetch, cache, now), items: ItemSource(endpoint: endpoint, fetch: fetch, now: now),
            cache: cache, monitor: upstream, broadcast: broadcast, now: now,
            onFault: { process.logger.error("cannot cache a page: \($0)") })
        let eventsClient = UpstreamClient(upstreamOptions.eventsSettings)
        let events = UpstreamEvents(
            endpoint.events, upstream, logger: process.logger, get: { try await eventsClient.get($0) },
            onState: feed.note)
        let validation = CacheValidation(cache: cache, logger: process.logger, dropExpired: feed.dropExpired)
        try await process.serve(
            EdgeHandlers(feed: feed, validation: validation).table, on: socket,
            health: { await store.health(as: "cache") + upstream.checks },
            measures: { store.measures(as: "cache").adding(upstream.measures).adding(feed.current.measures) },
            companions: {
                async let watching: Void = store.run()
                async let fetching: Void = feed.run()
                async let validating: Void = validation.run()
                // An upstream with numbered pages is another kind of server, without such events.
                async let following: Void = paging == .cursor ? events.run() : ()
                await upstream.run { try await traced.probe(base) }
                await validating
                _ = await (fetching, watching, following)
            })
        await client.shutdown()
        await eventsClient.shutdown()
        try process.fail { try store.close() }
    }

    private func source(
        _ endpoint: FeedEndpoint, _ fetch: @escaping UpstreamFetch, _ cache: any FeedCache,
        _ now: @escaping @Sendable () -> Date
    ) -> FeedSource {
        switch paging {
        case .cursor:
            let source = KeysetSource(endpoint: endpoint, fetch: fetch, now: now) { id in
                try await orNil { try await cache.item(id) } != nil
            }
            return { try await source.page($0, at: $1, known: $2, isFresh: $3) }
        case .page:
            let source = NumberedSource(endpoint: endpoint, fetch: fetch, now: now) { ids, cursor in
                // If the store fails, serve the upstream's answer unfiltered.
                try await orNil { try await cache.passed(ids, at: cursor) } ?? []
            }
            return { limit, cursor, _, _ in try await source.page(limit, at: cursor) }
        }
    }
}
