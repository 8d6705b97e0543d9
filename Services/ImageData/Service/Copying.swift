import Foundation
import ImageData
import Logging
import PostgresKit
import SQLiteKit
import ServiceKit

extension ImageDataService {
    /// The composition root of `--copy-to`: copies the store of an authority, and serves nothing.
    func copy(to target: StorePlace, _ process: ServiceProcess) async throws {
        let source = storeOptions.place(default: process.root.store("image-data"))
        try await process.copy(from: source, to: target) { logger in
            try await ImageCopy(
                source: store(at: source, process, logger), target: store(at: target, process, logger)
            ).run()
        }
    }

    private func store(
        at place: StorePlace, _ process: ServiceProcess, _ logger: Logger
    ) throws -> any CopiedImageStore {
        switch place {
        case .file(let path):
            SQLiteImageStore(try SQLiteImageStore.opening.store(at: path, in: process.root, logger: logger))
        case .database(let url): PostgresImageStore(PostgresStore(ImageTables.schema, at: url, logger: logger))
        }
    }
}

protocol CopiedImageStore: ImageStore {
    /// The first URLs after one, in their order.
    func urls(after url: String, limit: Int) async throws -> [String]
}

/// Copies the images of a store into another one, which may have others, too: nobody reads an image that no item names. An interrupted
/// copy is continued.
struct ImageCopy {
    let source: any CopiedImageStore
    let target: any CopiedImageStore

    /// - Returns: the proof of the images of the source, which is equal for both stores.
    /// - Throws: `StoreCopyRefusal`, or the error of a store.
    func run() async throws -> StoreProof {
        var reading = StoreProof.Reading()
        var last = ""
        while case let urls = try await source.urls(after: last, limit: StoreCopyLimits.entriesAtOnce),
            let end = urls.last
        {
            let present = try await target.records(at: urls)
            for url in urls where present[url] == nil { try await copy(url) }
            let (records, copies) = (try await source.records(at: urls), try await target.records(at: urls))
            for url in urls {
                // An image that was evicted meanwhile is not wanted.
                guard let record = records[url] else { continue }
                let wanted = Self.bytes(of: record, at: url)
                guard copies[url].map({ Self.bytes(of: $0, at: url) }) == wanted else {
                    throw StoreCopyRefusal.other(url: url)
                }
                reading.add(wanted)
            }
            last = end
        }
        return reading.proof
    }

    private func copy(_ url: String) async throws {
        do {
            if let image = try await source.image(at: url) { try await target.put(image, at: url) }
        } catch ImageStoreError.damaged {
            throw StoreCopyRefusal.damaged("the bytes of the image \(url) are damaged; see gateway check")
        }
    }

    /// What readers get, and the hash of the bytes, which `put` has compared with them.
    private static func bytes(of record: ImageRecord, at url: String) -> [UInt8] {
        Array("\(url)\n\(record.contentType)\n\(record.size)\n\(record.hash.urn)".utf8)
    }
}
