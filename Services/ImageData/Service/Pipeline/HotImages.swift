import ImageData
import Synchronization

/// The cache of fetched bytes and of variants in memory.
final class HotImages: Sendable {
    /// The default budget in bytes.
    static let defaultBudget = 64 * 1_024 * 1_024

    /// The size that an image counts beside its bytes: its record and its entries in the tables.
    private static let overhead = 512

    private struct State {
        var images: LeastRecentlyUsed<UsedImage, CachedImage>
        var evictions = 0
    }

    private let state: Mutex<State>

    init(budget: Int) { state = Mutex(State(images: LeastRecentlyUsed(budget: budget))) }

    /// The number of evictions so far.
    var evictions: Int { state.withLock(\.evictions) }

    func image(at url: String) -> CachedImage? { state.withLock { $0.images.use(.url(url)) } }

    func peek(_ url: String) -> CachedImage? { state.withLock { $0.images.peek(.url(url)) } }

    func variant(_ variant: Variant) -> StoredImage? { state.withLock { $0.images.use(.variant(variant))?.image } }

    /// - Parameter evictions: the value of `evictions` when the bytes were read from elsewhere. If it has changed, the
    ///   bytes may have been evicted since and are not stored. Nil for bytes that were just fetched.
    func keep(_ image: CachedImage, at url: String, unlessMoreThan evictions: Int? = nil) {
        state.withLock { state in
            guard evictions == nil || evictions == state.evictions else { return }
            state.images.set(image, for: .url(url), cost: image.image.data.count + 2 * url.utf8.count + Self.overhead)
        }
    }

    /// - Parameter evictions: as for images.
    func keep(_ image: StoredImage, as variant: Variant, unlessMoreThan evictions: Int) {
        state.withLock { state in
            guard evictions == state.evictions else { return }
            state.images.set(CachedImage(image), for: .variant(variant), cost: image.data.count + Self.overhead)
        }
    }

    /// - Parameter originals: nil for all.
    func dropVariants(of originals: Set<ContentHash>?) {
        state.withLock { state in
            for (key, _) in state.images.oldestFirst {
                if case .variant(let variant) = key, originals?.contains(variant.original) ?? true {
                    state.images.remove(key)
                }
            }
        }
    }

    /// - Returns: the size of each evicted image, by URL, without variants.
    func evict(_ eviction: Eviction) -> [String: Int] {
        state.withLock { state in
            state.evictions += 1
            var evicted: [String: Int] = [:]
            func remove(_ key: UsedImage) {
                if let image = state.images.remove(key), case .url(let url) = key {
                    evicted[url] = image.image.data.count
                }
            }
            switch eviction {
            case .urls(let urls): urls.forEach { remove(.url($0)) }
            case .storedUpTo(let date):
                for (key, image) in state.images.oldestFirst where image.image.record.storedAt <= date { remove(key) }
            case .downTo(let bytes):
                for (key, _) in state.images.oldestFirst {
                    guard state.images.cost > bytes else { break }
                    remove(key)
                }
            }
            return evicted
        }
    }
}
