import Foundation
import ImageData
import SQLiteKit

/// The current cache on disk. Without one, reads are misses and writes are dropped.
struct SoftImageCache: ImageCache {
    let store: SoftStore<SQLiteImageCache>

    func image(at url: String) async throws -> CachedImage? {
        try await store.reading { try await $0.image(at: url) }
    }

    func record(at url: String) async throws -> CachedRecord? {
        try await store.reading { try await $0.record(at: url) }
    }

    func touch(_ url: String) { store.slot.store?.touch(url) }

    func keep(
        _ image: CachedImage, at url: String, while isWanted: @escaping @Sendable () -> Bool
    ) async throws {
        _ = try await store.writing { try await $0.keep(image, at: url, while: isWanted) }
    }

    func evict(_ eviction: Eviction) async throws -> Evicted {
        try await store.writing { try await $0.evict(eviction) } ?? Evicted(urls: 0, bytes: 0)
    }

    // MARK: Derived data

    func variant(_ variant: Variant) async throws -> StoredImage? {
        try await store.reading { try await $0.variant(variant) }
    }

    func touch(_ variant: Variant) { store.slot.store?.touch(variant) }

    func keep(
        _ image: StoredImage, as variant: Variant, while isWanted: @escaping @Sendable () -> Bool
    ) async throws {
        _ = try await store.writing { try await $0.keep(image, as: variant, while: isWanted) }
    }

    func facts(of original: ContentHash) async throws -> PictureFacts? {
        try await store.reading { try await $0.facts(of: original) }
    }

    func keep(_ facts: PictureFacts, of original: ContentHash) async throws {
        _ = try await store.writing { try await $0.keep(facts, of: original) }
    }

    func dropDerived(from originals: Set<ContentHash>) async throws {
        _ = try await store.writing { try await $0.dropDerived(from: originals) }
    }
}
