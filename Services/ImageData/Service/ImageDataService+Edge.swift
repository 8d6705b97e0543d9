import Foundation
import GRDB
import ImageData
import RPC
import SQLiteKit
import ServiceKit
import Upstream

extension ImageDataService {
    /// Composes and runs a service that fetches images and keeps them: look → fetch → map → keep.
    func serveEdge(
        _ process: ServiceProcess, on socket: ListeningSocket, of upstream: UpstreamBase
    ) async throws {
        let path = storeOptions.path ?? options.root.store("image-data-edge")
        let store = try process.openStore(
            SQLiteImageCache.opening, at: path, isRequired: storeOptions.isRequired(isEdge: true), releasing: socket)
        let storeMonitor = StoreMonitor(path: path, logger: process.logger, unusable: store.failure)
        let upstreamMonitor = UpstreamMonitor(upstream, logger: process.logger)
        let client = try process.fail(exitCode: EX_USAGE, releasing: socket) {
            try UpstreamClient(clientSettings)
        }
        let profiler = profileOptions.profiler(process.logger)
        let traced = TracedUpstream(client, profiler: profiler)
        let disk = try process.fail(releasing: socket) { try diskCache(in: store) }
        let caches = ImageCaches(
            hot: HotImages(budget: edgeOptions.hotBytes),
            cold: disk.map { ColdImages(cache: $0, monitor: storeMonitor, logger: process.logger) }
                ?? ColdImages(cache: NullImageCache(), monitor: nil, logger: process.logger))
        let origin = ImageOrigin(
            get: ImageOrigin.get(traced, upstream, upstreamMonitor), mapper: mapper, caches: caches, now: { Date() })
        let fetches = ImageFetches(
            queue: FetchQueue(concurrency: edgeOptions.maxFetches), fetch: origin.image(logger: process.logger))
        let loader = ImageLoader(
            caches: caches, fetches: fetches, timeToLive: edgeOptions.ttl, now: { Date() }, onMiss: profiler.missed)
        try await process.serve(
            EdgeImageDataHandlers(loader: loader).table, on: socket,
            health: { [storeMonitor.check, upstreamMonitor.check] },
            companions: {
                async let probing: Void = upstreamMonitor.run { try await traced.probe(upstream) }
                await fetches.run()
                await probing
            })
        await client.shutdown()
        if let disk { try process.fail { try disk.close() } }
    }

    /// Nil when there is no store, and so nothing is kept.
    private func diskCache(in store: Result<DatabasePool, StoreUnusable>) throws -> SQLiteImageCache? {
        guard case .success(let pool) = store else { return nil }
        return try SQLiteImageCache(pool, budget: edgeOptions.coldBytes)
    }

    /// As many connections to one origin as fetches at a time, and none of them given up while there is more to fetch.
    private var clientSettings: UpstreamSettings {
        var settings = upstreamOptions.settings
        settings.limits.connectionsPerOrigin = max(settings.limits.connectionsPerOrigin, edgeOptions.maxFetches)
        settings.limits.idlePerOrigin = max(settings.limits.idlePerOrigin, edgeOptions.maxFetches)
        settings.limits.idleConnections = max(settings.limits.idleConnections, edgeOptions.maxFetches)
        return settings
    }
}
