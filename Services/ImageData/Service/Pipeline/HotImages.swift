import ImageData
import Synchronization

/// The cache of fetched bytes in memory.
final class HotImages: Sendable {
    /// The default budget in bytes.
    static let defaultBudget = 64 * 1_024 * 1_024

    /// The size that an image counts beside its bytes: its record and its entries in the tables.
    private static let overhead = 512

    private struct State {
        var images: LeastRecentlyUsed<String, CachedImage>
        var evictions = 0
    }

    private let state: Mutex<State>

    init(budget: Int) { state = Mutex(State(images: LeastRecentlyUsed(budget: budget))) }

    /// The number of evictions so far.
    var evictions: Int { state.withLock(\.evictions) }

    func image(at url: String) -> CachedImage? { state.withLock { $0.images.use(url) } }

    func peek(_ url: String) -> CachedImage? { state.withLock { $0.images.peek(url) } }

    /// - Parameter evictions: the value of `evictions` when the bytes were read from elsewhere. If it has changed, the
    ///   bytes may have been evicted since and are not stored. Nil for bytes that were just fetched.
    func keep(_ image: CachedImage, at url: String, unlessMoreThan evictions: Int? = nil) {
        state.withLock { state in
            guard evictions == nil || evictions == state.evictions else { return }
            state.images.set(image, for: url, cost: image.image.data.count + 2 * url.utf8.count + Self.overhead)
        }
    }

    /// - Returns: the size of each evicted image, by URL.
    func evict(_ eviction: Eviction) -> [String: Int] {
        state.withLock { state in
            state.evictions += 1
            var evicted: [String: Int] = [:]
            func remove(_ url: String) {
                if let image = state.images.remove(url) { evicted[url] = image.image.data.count }
            }
            switch eviction {
            case .urls(let urls): urls.forEach(remove)
            case .storedUpTo(let date):
                for (url, image) in state.images.oldestFirst where image.image.record.storedAt <= date { remove(url) }
            case .downTo(let bytes):
                for (url, _) in state.images.oldestFirst {
                    guard state.images.cost > bytes else { break }
                    remove(url)
                }
            }
            return evicted
        }
    }
}
