import ImageData
import Logging
import RPC
import ServiceKit

/// The cache on disk, with which loads do not fail: an image that cannot be read is a miss, and one that cannot be written
/// is served all the same. Only `evict` throws.
struct ColdImages: Sendable {
    let cache: any ImageCache
    let logger: Logger

    func image(at url: String) async -> CachedImage? {
        do {
            return try await cache.image(at: url)
        } catch ImageStoreError.damaged {
            // Fetched again, and then replaced.
            logger.error("the bytes kept for \(url) fail their checksum", metadata: TraceContext.current.metadata)
            return nil
        } catch {
            note(error)
            return nil
        }
    }

    func record(at url: String) async -> CachedRecord? {
        do {
            return try await cache.record(at: url)
        } catch {
            note(error)
            return nil
        }
    }

    func touch(_ url: String) { cache.touch(url) }

    func keep(
        _ image: CachedImage, at url: String, while isWanted: @escaping @Sendable () -> Bool
    ) async {
        do {
            try await cache.keep(image, at: url, while: isWanted)
        } catch {
            note(error)
        }
    }

    /// Evicts bytes that are of no use any more. Where that fails they stay until the budget is spent.
    func drop(_ url: String) async {
        guard await record(at: url) != nil else { return }
        do {
            _ = try await evict(.urls([url]))
        } catch {
            note(error)
        }
    }

    func evict(_ eviction: Eviction) async throws -> Evicted {
        try await cache.evict(eviction)
    }

    /// The store's monitor has logged an `RPCError`, and a cancelled call is no failure.
    private func note(_ error: any Error) {
        if error is RPCError || error is CancellationError { return }
        logger.error("the cache of images failed: \(error)", metadata: TraceContext.current.metadata)
    }
}
