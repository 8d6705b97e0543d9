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

    func record(at url: String) async -> CachedRecord? {
        do {
            return try await cache?.record(at: url)
        } catch {
            note(error)
            return nil
        }
    }

    func touch(_ url: String) { cache?.touch(url) }

    func keep(
        _ image: CachedImage, at url: String, while isWanted: @escaping @Sendable () -> Bool
    ) async {
        do {
            try await cache?.keep(image, at: url, while: isWanted)
        } catch {
            note(error)
        }
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
        try await cache?.evict(eviction) ?? Evicted(urls: 0, bytes: 0)
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

    func keep(_ image: StoredImage, as variant: Variant, while isWanted: @escaping @Sendable () -> Bool) async {
        do {
            try await cache?.keep(image, as: variant, while: isWanted)
        } catch {
            note(error)
        }
    }

    func facts(of original: ContentHash) async -> PictureFacts? {
        do {
            return try await cache?.facts(of: original)
        } catch {
            note(error)
            return nil
        }
    }

    func keep(_ facts: PictureFacts, of original: ContentHash) async {
        do {
            try await cache?.keep(facts, of: original)
        } catch {
            note(error)
        }
    }

    func dropDerived(from originals: Set<ContentHash>) async throws { try await cache?.dropDerived(from: originals) }

    /// Logs an error, unless it is an `RPCError`, which the store's monitor has logged, or a cancellation.
    private func note(_ error: any Error) {
        if error is RPCError || error is CancellationError { return }
        logger.error("the image cache failed: \(error)", metadata: TraceContext.current.metadata)
    }
}
