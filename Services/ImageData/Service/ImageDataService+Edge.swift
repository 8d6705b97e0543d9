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
            try UpstreamClient(upstreamOptions.settings)
        }
        let caches = ImageCaches(
            hot: HotImages(budget: edgeOptions.hotBytes),
            cold: try process.fail(releasing: socket) { try cold(store, storeMonitor, process) })
        let origin = ImageOrigin(
            get: ImageOrigin.get(
                TracedUpstream(client, profiler: profileOptions.profiler(process.logger)), upstream, upstreamMonitor),
            mapper: mapper, caches: caches, now: { Date() })
        let fetches = ImageFetches(queue: FetchQueue(concurrency: edgeOptions.maxFetches), fetch: origin.image)
        let loader = ImageLoader(caches: caches, fetches: fetches, timeToLive: edgeOptions.ttl, now: { Date() })
        try await process.serve(
            EdgeImageDataHandlers(loader: loader).table, on: socket,
            health: { [storeMonitor.check, upstreamMonitor.check] },
            companions: { await fetches.run() })
        await client.shutdown()
        if case .success(let pool) = store { try process.fail { try pool.closeIntoOneFile() } }
    }

    private func cold(
        _ store: Result<DatabasePool, StoreUnusable>, _ monitor: StoreMonitor, _ process: ServiceProcess
    ) throws -> ColdImages {
        switch store {
        case .success(let pool):
            ColdImages(
                cache: try SQLiteImageCache(pool, budget: edgeOptions.coldBytes), monitor: monitor,
                logger: process.logger)
        case .failure: ColdImages(cache: NullImageCache(), monitor: nil, logger: process.logger)
        }
    }
}

extension Result<DatabasePool, StoreUnusable> {
    fileprivate var failure: StoreUnusable? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
