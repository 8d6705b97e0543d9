import Foundation
import ImageData
import RPC
import SQLiteKit
import ServiceKit

extension ImageDataService {
    /// The composition root of an authority: serves the images of its own store, and fetches missing ones
    /// (`Fetching.swift`) unless `--no-fetch` is set. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let (store, path) = try process.openAuthority(SQLiteImageStore.opening, storeOptions, releasing: socket) {
            SQLiteImageStore($0)
        }
        let pinned = MonitoredImageStore(store: store)
        if fetchOptions.fetchesNothing {
            let images = ImageCaches(
                hot: HotImages(budget: 0), cold: ColdImages(cache: nil, logger: process.logger), pinned: pinned)
            let handlers = handlers(ImageLoader(images, nil, self), check: nil, process)
            try await process.serve(handlers.table, on: socket, health: { [store.check] })
        } else {
            let cache = try openCache(at: Self.cachePath(beside: path), process, releasing: socket)
            let images = ImageCaches(
                hot: HotImages(budget: fetchOptions.hotBytes), cold: cache.images, pinned: pinned)
            try await serveFetching(process, on: socket, images) { [store.check, cache.check] }
            try process.fail { try cache.close() }
        }
        try process.fail { try store.close() }
    }

    /// The path of the cache of fetched bytes: `image-data-cache.sqlite` beside `image-data.sqlite`.
    static func cachePath(beside store: String) -> String {
        let name = store as NSString
        return name.pathExtension.isEmpty
            ? store + "-cache" : "\(name.deletingPathExtension)-cache.\(name.pathExtension)"
    }
}
