import ImageData
import Logging
import RPC
import ServiceKit

/// The cache on disk. Its failures do not make loads fail: an unreadable image is a miss, and an image that cannot be
/// stored is served nevertheless. Only `evict` throws.
struct ColdImages: Sendable {
    /// Nil for a service that caches nothing.
    let cache: (any ImageCache)?
    let logger: Logger

    /// One change at a time: an eviction that has begun either comes after a write, or was seen by its `isWanted`.
    private let changes = TaskSemaphore(permits: 1)

    init(cache: (any ImageCache)?, logger: Logger) { (self.cache, self.logger) = (cache, logger) }

    func image(at url: String) async -> CachedImage? {
        do {
            return try await cache?.image(at: url)
        } catch ImageStoreError.damaged {
            // The caller fetches the image again, and that replaces the damaged bytes.
            logger.error("the cached bytes of \(url) fail their checksum", metadata: TraceContext.current.metadata)
            return nil
        } catch {
            note(error)
            return nil
        }
    }

    func record(at url: String) async -> CachedRecord? { await records(at: [url])[url] }

    func records(at urls: [String]) async -> [String: CachedRecord] {
        do {
            return try await cache?.records(at: urls) ?? [:]
        } catch {
            note(error)
            return [:]
        }
    }

    func touch(_ url: String) { cache?.touch(url) }

    /// - Parameter isWanted: called when no other change of the cache is in progress; if it returns false, nothing is changed.
    func keep(_ image: CachedImage, at url: String, while isWanted: @Sendable () -> Bool) async {
        await change { cache in if isWanted() { try await cache.keep(image, at: url) } }
    }

    /// Evicts bytes that are no longer used. On failure they remain until the budget requires their eviction.
    func drop(_ url: String) async {
        guard await record(at: url) != nil else { return }
        do {
            _ = try await evict(.urls([url]))
        } catch {
            note(error)
        }
    }

    func evict(_ eviction: Eviction) async throws -> Evicted {
        guard let cache else { return Evicted(urls: 0, bytes: 0) }
        return try await changes.withPermit { try await cache.evict(eviction) }
    }

    // MARK: Derived data

    func variant(_ variant: Variant) async -> StoredImage? {
        do {
            return try await cache?.variant(variant)
        } catch ImageStoreError.damaged(let name) {
            // The variant is made again, and that replaces the damaged bytes.
            logger.error("the cached bytes of \(name) fail their checksum", metadata: TraceContext.current.metadata)
            return nil
        } catch {
            note(error)
            return nil
        }
    }

    func touch(_ variant: Variant) { cache?.touch(variant) }

    /// - Parameter isWanted: as for images.
    func keep(_ image: StoredImage, as variant: Variant, while isWanted: @Sendable () -> Bool) async {
        await change { cache in if isWanted() { try await cache.keep(image, as: variant) } }
    }

    func facts(of original: ContentHash) async -> PictureFacts? { await facts(of: [original])[original] }

    func facts(of originals: Set<ContentHash>) async -> [ContentHash: PictureFacts] {
        do {
            return try await cache?.facts(of: originals) ?? [:]
        } catch {
            note(error)
            return [:]
        }
    }

    func keep(_ facts: PictureFacts, of original: ContentHash) async {
        await change { try await $0.keep(facts, of: original) }
    }

    func dropDerived(from originals: Set<ContentHash>) async throws {
        guard let cache else { return }
        try await changes.withPermit { try await cache.dropDerived(from: originals) }
    }

    // MARK: Changes

    private func change(_ body: (any ImageCache) async throws -> Void) async {
        guard let cache else { return }
        do {
            try await changes.withPermit { try await body(cache) }
        } catch {
            note(error)
        }
    }

    /// Logs an error, unless it is a `StoreError`, which the store has logged, or a cancellation.
    private func note(_ error: any Error) {
        if error is StoreError || error is CancellationError { return }
        logger.error("the image cache failed: \(error)", metadata: TraceContext.current.metadata)
    }
}
