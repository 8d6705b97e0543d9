import EdgeKit
import RPC
import ServiceKit
import Upstream

extension ImageDataService {
    /// The composition root of an edge: serves another server's images, from the caches while they are valid,
    /// otherwise from the upstream (`Fetching.swift`). `Standalone.swift` is that of an authority.
    func serveEdge(of base: UpstreamBase, _ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? process.root.store("image-data-edge")
        let cache = try openCache(at: path, process, releasing: socket)
        let images = ImageCaches(
            hot: HotImages(budget: fetchOptions.hotBytes), cold: ColdImages(cache: cache, logger: process.logger))
        try await serveFetching(
            process, on: socket, images, of: base, checks: { await cache.store.health(as: "cache") },
            measures: { cache.store.measures(as: "cache") },
            watch: { await cache.store.run(checking: SQLiteImageCache.intactBytes) })
        await cache.writeUses()
        try process.fail { try cache.store.close() }
    }
}
