import ImageData
import Logging
import RPC
import SQLiteKit

/// Bytes on disk, without which nothing fails that can do without: what cannot be read is a miss, what cannot be written is served all the
/// same. The monitor tells of it, once for each change of its state. Only letting go fails where it does.
struct ColdImages: Sendable {
    let cache: any ImageCache

    /// Nil where nothing is kept, so that there is nothing to watch over.
    let monitor: StoreMonitor?
    let logger: Logger

    func image(at url: String) async -> CachedImage? {
        do {
            return try await reading { try await cache.image(at: url) }
        } catch ImageStoreError.damaged {
            // Fetched again, and then replaced.
            logger.error("the bytes kept for \(url) fail their checksum")
            return nil
        } catch {
            note(error)
            return nil
        }
    }

    func record(at url: String) async -> CachedRecord? {
        do {
            return try await reading { try await cache.record(at: url) }
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
            try await writing { try await cache.keep(image, at: url, while: isWanted) }
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
        try await writing { try await cache.evict(eviction) }
    }

    /// What the monitor answers with it has told already, and who cancels knows why.
    private func note(_ error: any Error) {
        if error is RPCError || error is CancellationError { return }
        logger.error("the cache of images failed: \(error)")
    }

    private func reading<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard let monitor else { return try await body() }
        return try await monitor.reading(body)
    }

    private func writing<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard let monitor else { return try await body() }
        return try await monitor.writing(body)
    }
}
