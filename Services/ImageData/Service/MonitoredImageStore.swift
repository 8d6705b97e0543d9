import Foundation
import ImageData
import SQLiteKit

/// A store with a monitor, which reports the store's health and turns its failures into answers that name the remedy.
struct MonitoredImageStore: ImageStore {
    let store: AuthorityStore<SQLiteImageStore>

    func image(at url: String) async throws -> StoredImage? {
        try await store.reading { try await $0.image(at: url) }
    }

    func record(at url: String) async throws -> ImageRecord? {
        try await store.reading { try await $0.record(at: url) }
    }

    func bytes() async throws -> Int { try await store.reading { try await $0.bytes() } }

    func put(_ image: StoredImage, at url: String) async throws {
        try await store.writing { try await $0.put(image, at: url) }
    }

    func evict(_ eviction: Eviction) async throws -> Evicted {
        try await store.writing { try await $0.evict(eviction) }
    }
}
