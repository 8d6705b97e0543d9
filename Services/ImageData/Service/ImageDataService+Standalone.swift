import Foundation
import ImageData
import RPC
import SQLiteKit
import ServiceKit

extension ImageDataService {
    /// Composes and runs a service with its own images, which fetches missing ones unless `--no-fetch` is set.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        let path = storeOptions.path ?? options.root.store("image-data")
        let opening = SQLiteImageStore.opening.listed(in: options.root, isNew: storeOptions.isNew)
        let opened = try process.openStore(
            opening, at: path, isRequired: storeOptions.isRequired(isEdge: false), releasing: socket)
        let monitor = StoreMonitor(path: path, logger: process.logger, unusable: opened.failure)
        let slot = StoreSlot(opening, at: path, opened) { SQLiteImageStore($0) }
        let pinned = MonitoredImageStore(store: AuthorityStore(slot, monitor))
        if fetchOptions.fetchesNothing {
            let images = ImageCaches(hot: HotImages(budget: 0), cold: .none(process.logger), pinned: pinned)
            let handlers = handlers(ImageLoader(images, nil, self), check: nil, process)
            try await process.serve(handlers.table, on: socket, health: { [monitor.check] })
        } else {
            let cache = try openCache(at: Self.cachePath(beside: path), process, releasing: socket)
            let images = ImageCaches(
                hot: HotImages(budget: fetchOptions.hotBytes), cold: cache.images, pinned: pinned)
            try await serveFetching(process, on: socket, images) { [monitor.check, cache.check(named: "cache")] }
            try process.fail { try cache.close() }
        }
        try process.fail { try slot.close() }
    }

    /// The path of the cache of fetched bytes: `image-data-cache.sqlite` beside `image-data.sqlite`.
    static func cachePath(beside store: String) -> String {
        let name = store as NSString
        return name.pathExtension.isEmpty
            ? store + "-cache" : "\(name.deletingPathExtension)-cache.\(name.pathExtension)"
    }
}
