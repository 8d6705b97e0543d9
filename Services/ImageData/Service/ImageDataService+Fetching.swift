import EdgeKit
import Foundation
import GRDB
import ImageData
import Logging
import RPC
import SQLiteKit
import ServiceKit
import Upstream

extension ImageDataService {
    /// Composes and runs the pipeline: look up, fetch, map, store. It is the same with and without an upstream.
    func serveFetching(
        _ process: ServiceProcess, on socket: ListeningSocket, _ images: ImageCaches, of upstream: UpstreamBase? = nil,
        checks: @escaping @Sendable () -> [Health.Check]
    ) async throws {
        let client = UpstreamClient(clientSettings)
        let profiler = profileOptions.profiler(process.logger)
        let traced = TracedUpstream(client, of: upstream, profiler: profiler, logger: process.logger)
        let monitor = upstream.map { UpstreamMonitor($0, logger: process.logger) }
        let origin = ImageOrigin(
            get: ImageOrigin.get(traced, upstream, monitor), mapper: mapper, caches: images, now: { Date() })
        let fetches = ImageFetches(
            queue: FetchQueue(concurrency: fetchOptions.maxFetches), fetch: origin.image(logger: process.logger))
        var loader = ImageLoader(images, fetches, self)
        loader.onMiss = profiler.missed
        try await process.serve(
            handlers(loader, check: ImageOrigin.check(client), process).table, on: socket,
            health: { checks() + [monitor?.check].compactMap(\.self) },
            companions: {
                async let fetching: Void = fetches.run()
                if let monitor, let upstream { await monitor.run { try await traced.probe(upstream) } }
                await fetching
            })
        await client.shutdown()
    }

    func handlers(
        _ loader: ImageLoader, check: (@Sendable (_ url: String) async throws -> Void)?, _ process: ServiceProcess
    ) -> ImageDataHandlers {
        ImageDataHandlers(loader: loader, mapper: mapper, check: check) { [logger = process.logger] url, trace in
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

    /// The cache file of fetched bytes. While no file can be opened, nothing is stored.
    struct CacheFile {
        let slot: StoreSlot<SQLiteImageCache>
        let monitor: StoreMonitor
        let images: ColdImages

        var check: Health.Check { monitor.check }

        func check(named name: String) -> Health.Check {
            let check = monitor.check
            return Health.Check(name: name, status: check.status, detail: check.detail, since: check.since)
        }

        func close() throws {
            slot.store?.writeUses()
            try slot.close()
        }
    }

    func openCache(
        at path: String, _ process: ServiceProcess, releasing socket: ListeningSocket
    ) throws -> CacheFile {
        let opening = SQLiteImageCache.opening.listed(in: options.root, isNew: storeOptions.isNew)
        let opened = try process.openStore(
            opening, at: path, isRequired: storeOptions.isRequired(isEdge: true), releasing: socket)
        let monitor = StoreMonitor(path: path, logger: process.logger, unusable: opened.failure)
        let slot = StoreSlot(opening, at: path, opened) { [budget = fetchOptions.coldBytes] pool in
            try SQLiteImageCache(pool, budget: budget)
        }
        let disk = SoftImageCache(store: SoftStore(slot, monitor))
        return CacheFile(slot: slot, monitor: monitor, images: ColdImages(cache: disk, logger: process.logger))
    }
}

extension ColdImages {
    /// A cache that stores nothing.
    static func none(_ logger: Logger) -> ColdImages {
        ColdImages(cache: NullImageCache(), logger: logger)
    }
}

extension ImageLoader {
    init(_ images: ImageCaches, _ fetches: ImageFetches?, _ service: ImageDataService) {
        self.init(caches: images, fetches: fetches, timeToLive: service.fetchOptions.ttl, now: { Date() })
    }
}
