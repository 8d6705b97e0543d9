import EdgeKit
import RPC
import ServiceKit
import Upstream

extension ImageDataService {
    /// Serves another server's images: cached ones while they are valid, otherwise its answers.
    func serveEdge(of base: UpstreamBase, _ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? process.root.store("image-data-edge")
        let cache = try openCache(at: path, process, releasing: socket)
        let images = ImageCaches(hot: HotImages(budget: fetchOptions.hotBytes), cold: cache.images)
        try await serveFetching(process, on: socket, images, of: base) { [cache.store.check] }
        try process.fail { try cache.close() }
    }
}
