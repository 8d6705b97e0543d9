import Comments
import Logging
import PostgresKit
import SQLiteKit
import ServiceKit

extension CommentsService {
    /// The composition root of `--copy-to`: copies the store of an authority, and serves nothing.
    func copy(to target: StorePlace, _ process: ServiceProcess) async throws {
        let source = storeOptions.place(default: process.root.store("comments"))
        try await process.copy(from: source, to: target) { logger in
            let copy = try StoreCopy(from: store(at: source, process, logger), to: store(at: target, process, logger))
            return try await copy.run()
        }
    }

    private func store(
        at place: StorePlace, _ process: ServiceProcess, _ logger: Logger
    ) throws -> any CopiedStore<ImageComment> {
        switch place {
        case .file(let path):
            SQLiteCommentsStore(try SQLiteCommentsStore.opening.store(at: path, in: process.root, logger: logger))
        case .database(let url): PostgresCommentsStore(PostgresStore(CommentsTables.schema, at: url, logger: logger))
        }
    }
}

extension CopiedStore where Self: CommentsStore, Entry == ImageComment {
    func remove(_ entries: [ImageComment]) async throws { for comment in entries { _ = try await remove(comment.id) } }

    func hasHad(_ entry: ImageComment) async throws -> Bool {
        do {
            _ = try await slice(1, of: entry.imageID, after: entry.id)
            return true
        } catch CommentsStoreError.unknownCursor {
            return false
        }
    }
}

extension ImageComment: CopiedEntry {
    public var bytes: [UInt8] { Array(CommentsChange.posted([self]).stored.bytes) }
}
