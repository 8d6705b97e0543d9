import Foundation
import ImageData
import PostgresKit
import RPC
import SQLiteKit
import ServiceKit

extension ImageDataService {
    /// The composition root of an authority: serves the images of its own store, and fetches missing ones
    /// (`Fetching.swift`) unless `--no-fetch` is set. `Edge.swift` is that of an edge.
    func serveStandalone(_ process: ServiceProcess, on socket: ListeningSocket) async throws {
        guard let url = storeOptions.database else {
            let file = try process.openStore(SQLiteImageStore.opening, storeOptions, releasing: socket)
            let images = PutImages(
                store: SQLiteImageStore(file), health: { await file.health() }, measures: { file.measures() },
                run: { await file.run(checking: [SQLiteImageStore.intactBytes]) })
            try await serve(images, process, on: socket)
            return try process.fail { try file.close() }
        }
        let database = try await process.openDatabase(ImageTables.schema, at: url, storeOptions, releasing: socket)
        let images = PutImages(
            store: PostgresImageStore(database), health: { database.health() }, measures: { Measures() },
            run: { await database.run() })
        try await serve(images, process, on: socket)
    }

    /// The store of the bytes that were put, and what it does besides.
    private struct PutImages {
        let store: any ImageStore
        let health: @Sendable () async -> [Health.Check]
        let measures: @Sendable () -> Measures
        let run: @Sendable () async -> Void
    }

    private func serve(_ put: PutImages, _ process: ServiceProcess, on socket: ListeningSocket) async throws {
        // Without fetching it has variants and facts only.
        let cache = try openCache(at: process.root.store("image-data-cache"), process, releasing: socket)
        let images = ImageCaches(
            hot: HotImages(budget: fetchOptions.hotBytes), cold: ColdImages(cache: cache, logger: process.logger),
            pinned: put.store)
        let checks = { @Sendable () async in await put.health() + cache.store.health(as: "cache") }
        let measures = { @Sendable in put.measures().adding(cache.store.measures(as: "cache")) }
        let watch = { @Sendable in
            async let watching: Void = put.run()
            await cache.store.run(checking: SQLiteImageCache.intactBytes)
            await watching
        }
        if fetchOptions.fetchesNothing {
            let loader = ImageLoader(images, nil, self, process)
            let handlers = handlers(loader, check: nil, process)
            try await process.serve(
                handlers.table, on: socket, health: { await checks() + [loader.variants?.check].compactMap(\.self) },
                measures: { measures().adding(loader.counts.measures) },
                companions: {
                    async let watching: Void = watch()
                    await handlers.run()
                    await watching
                })
        } else {
            try await serveFetching(process, on: socket, images, checks: checks, measures: measures, watch: watch)
        }
        await cache.writeUses()
        try process.fail { try cache.store.close() }
    }
}
