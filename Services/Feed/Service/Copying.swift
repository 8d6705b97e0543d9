import Feed
import Logging
import PostgresKit
import SQLiteKit
import ServiceKit

extension FeedService {
    /// The composition root of `--copy-to`: copies the store of an authority, and serves nothing.
    func copy(to target: StorePlace, _ process: ServiceProcess) async throws {
        let source = storeOptions.place(default: process.root.store("feed"))
        try await process.copy(from: source, to: target) { logger in
            let copy = try StoreCopy(from: store(at: source, process, logger), to: store(at: target, process, logger))
            return try await copy.run()
        }
    }

    private func store(
        at place: StorePlace, _ process: ServiceProcess, _ logger: Logger
    ) throws -> any CopiedStore<FeedImage> {
        switch place {
        case .file(let path):
            SQLiteFeedStore(try SQLiteFeedStore.opening.store(at: path, in: process.root, logger: logger))
        case .database(let url): PostgresFeedStore(PostgresStore(FeedTables.schema, at: url, logger: logger))
        }
    }
}

extension CopiedStore where Self: FeedStore, Entry == FeedImage {
    func remove(_ entries: [FeedImage]) async throws { _ = try await remove(entries.map(\.id)) }

    func hasHad(_ entry: FeedImage) async throws -> Bool {
        do {
            _ = try await slice(1, at: .after(entry.id))
            return true
        } catch FeedStoreError.unknownCursor {
            return false
        }
    }
}

extension FeedImage: CopiedEntry {
    public var bytes: [UInt8] { Array(FeedChange.published([self]).stored.bytes) }
}
