import EdgeKit
import Feed
import Foundation
import RPC
import SQLiteKit
import ServiceKit
import Upstream

extension FeedService {
    /// Serves another server's feed: its answers while it responds, otherwise cached ones.
    func serveEdge(of base: UpstreamBase, _ process: ServiceProcess) async throws {
        let endpoint = FeedEndpoint(base.url)
        let path = storeOptions.path ?? options.root.store("feed", of: base)
        let socket = try process.takeSocket()
        let client = UpstreamClient(upstreamOptions.settings)
        let opening = SQLiteFeedCache.opening.listed(in: options.root, isNew: storeOptions.isNew)
        let opened = try process.openStore(
            opening, at: path, isRequired: storeOptions.isRequired(isEdge: true), releasing: socket)
        let slot = StoreSlot(opening, at: path, opened) { SQLiteFeedCache($0) }
        let monitor = StoreMonitor(path: path, logger: process.logger, unusable: opened.failure)
        let upstream = UpstreamMonitor(base, logger: process.logger)
        let traced = TracedUpstream(
            client, of: base, profiler: profileOptions.profiler(process.logger), logger: process.logger)
        let cache = MonitoredFeedCache(slot: slot, monitor: monitor)
        let identity = ServiceIdentity(name: process.name, version: ServiceProcess.version)
        let now = { @Sendable in Date() }
        let feed = EdgeFeed(
            source: source(endpoint, traced.fetch, cache, now), cache: cache,
            monitor: upstream, broadcast: FeedBroadcast(life: identity.instance), now: now,
            onFault: { process.logger.error("cannot cache a page: \($0)") })
        let validation = CacheValidation(cache: cache, logger: process.logger, now: now)
        try await process.serve(
            EdgeHandlers(feed: feed, validation: validation).table, on: socket, identity: identity,
            health: { [monitor.check, upstream.check] },
            companions: {
                async let fetching: Void = feed.run()
                async let probing: Void = upstream.run { try await traced.probe(base) }
                await validation.run()
                await probing
                await fetching
            })
        await client.shutdown()
        try process.fail { try slot.close() }
    }

    private func source(
        _ endpoint: FeedEndpoint, _ fetch: @escaping HTTPFetch, _ cache: any FeedCache,
        _ now: @escaping @Sendable () -> Date
    ) -> FeedSource {
        switch paging {
        case .cursor:
            let source = KeysetSource(endpoint: endpoint, fetch: fetch, now: now)
            return { try await source.page($0, at: $1, known: $2) }
        case .page:
            let source = NumberedSource(endpoint: endpoint, fetch: fetch, now: now) { ids, cursor in
                do {
                    return try await cache.passed(ids, at: cursor)
                } catch is RPCError {
                    // The store's monitor has already reported it. Serve the upstream's answer unfiltered.
                    return []
                }
            }
            return { limit, cursor, _ in try await source.page(limit, at: cursor) }
        }
    }
}

extension TracedUpstream {
    /// GETs a URL for the feed.
    fileprivate var fetch: HTTPFetch {
        { url, headers in
            do throws(UpstreamError) {
                let request = UpstreamRequest(
                    url: url, headers: UpstreamHeaders(headers.map { ($0.name, $0.value) }),
                    maximumBodyBytes: FeedCachePolicy.answerBytes)
                let response = try await get(request)
                return HTTPAnswer(
                    status: response.status, headers: response.headers.fields.map { ($0.name, $0.value) },
                    body: response.body)
            } catch {
                if case .cancelled = error { throw CancellationError() }
                throw error
            }
        }
    }
}
