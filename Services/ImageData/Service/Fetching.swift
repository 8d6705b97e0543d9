import EdgeKit
import Foundation
import ImageData
import Logging
import RPC
import SQLiteKit
import ServiceKit
import Upstream

extension ImageDataService {
    /// Composes and runs the pipeline in `Pipeline`: look up, fetch, map, store. `Edge.swift` and `Standalone.swift`
    /// both use it.
    func serveFetching(
        _ process: ServiceProcess, on socket: ListeningSocket, _ images: ImageCaches, of upstream: UpstreamBase? = nil,
        checks: @escaping @Sendable () async -> [Health.Check], measures: @escaping @Sendable () -> Measures,
        watch: @escaping @Sendable () async -> Void
    ) async throws {
        let client = UpstreamClient(clientSettings)
        let profiler = profileOptions.profiler(process.logger)
        let traced = TracedUpstream(client, of: upstream, profiler: profiler, logger: process.logger)
        let monitor = upstream.map { UpstreamMonitor($0, logger: process.logger) }
        let origin = ImageOrigin(
            get: ImageOrigin.get(traced, upstream, monitor), mapper: mapper, caches: images, now: { Date() })
        let fetches = ImageFetches(
            queue: FetchQueue(concurrency: fetchOptions.maxFetches), fetch: origin.image(logger: process.logger))
        var loader = ImageLoader(images, fetches, self, process)
        loader.onMiss = profiler.missed
        let handlers = handlers(loader, check: ImageOrigin.check(client), process)
        try await process.serve(
            handlers.table, on: socket,
            health: { [loader] in
                await checks() + (monitor?.checks ?? []) + [loader.variants?.check].compactMap(\.self)
            },
            measures: { [loader] in
                [loader.counts.measures, fetches.measures, monitor?.measures].compactMap(\.self)
                    .reduce(measures()) { $0.adding($1) }
            },
            companions: {
                async let watching: Void = watch()
                async let fetching: Void = fetches.run()
                async let making: Void = handlers.run()
                if let monitor, let upstream { await monitor.run { try await traced.probe(upstream) } }
                _ = await (fetching, making, watching)
            })
        await client.shutdown()
    }

    func handlers(
        _ loader: ImageLoader, check: (@Sendable (_ url: String) async throws -> Void)?, _ process: ServiceProcess
    ) -> ImageDataHandlers {
        ImageDataHandlers(loader: loader, mapper: mapper, check: check, finder: FactsFinder(process.failures)) {
            [logger = process.logger] url, trace in
            logger.error("the stored bytes of \(url) fail their checksum", metadata: trace.metadata)
        }
    }

    /// Allows as many connections, idle or not, to one origin server as there are concurrent fetches.
    private var clientSettings: UpstreamSettings {
        var settings = upstreamOptions.settings
        settings.limits.connectionsPerOrigin = max(settings.limits.connectionsPerOrigin, fetchOptions.maxFetches)
        settings.limits.idlePerOrigin = max(settings.limits.idlePerOrigin, fetchOptions.maxFetches)
        settings.limits.idleConnections = max(settings.limits.idleConnections, fetchOptions.maxFetches)
        return settings
    }

    // MARK: The cache on disk

    /// Opens the cache of fetched bytes and of variants.
    func openCache(
        at path: String, _ process: ServiceProcess, releasing socket: ListeningSocket
    ) throws -> SQLiteImageCache {
        let store = try process.openStore(SQLiteImageCache.opening, at: path, storeOptions, releasing: socket)
        return SQLiteImageCache(store, budget: fetchOptions.coldBytes)
    }
}

extension ImageDataHandlers {
    /// Makes variants and finds facts until the task is cancelled.
    func run() async {
        async let making: Void? = loader.variants?.run()
        await finder.run { [loader] in try await loader.completeFacts(at: $0) }
        await making
    }
}

extension ImageLoader {
    init(
        _ images: ImageCaches, _ fetches: ImageFetches?, _ service: ImageDataService, _ process: ServiceProcess
    ) {
        self.init(
            caches: images, fetches: fetches, variants: service.variantOptions.maker(process),
            timeToLive: service.fetchOptions.ttl, now: { Date() })
    }
}
