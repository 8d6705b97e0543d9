import EdgeKit
import RPC
import ServiceKit
import Upstream

extension ImageDataService {
    /// Composes and runs a service for another server's images.
    func serveEdge(
        _ process: ServiceProcess, on socket: ListeningSocket, of upstream: UpstreamBase
    ) async throws {
        let path = storeOptions.path ?? options.root.store("image-data-edge")
        let cache = try openCache(at: path, process, releasing: socket)
        let images = ImageCaches(hot: HotImages(budget: fetchOptions.hotBytes), cold: cache.images)
        try await serveFetching(process, on: socket, images, of: upstream) { [cache.check] }
        try process.fail { try cache.close() }
    }
}
