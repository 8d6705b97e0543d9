import ImageData
import Synchronization

/// Bytes in memory.
final class HotImages: Sendable {
    /// How many bytes are held unless the operator says otherwise.
    static let defaultBudget = 64 * 1_024 * 1_024

    /// What an image costs beside its bytes: its URL twice, its record, its places in the tables.
    private static let overhead = 512

    private struct State {
        var images: LeastRecentlyUsed<String, CachedImage>
        var evictions = 0
    }

    private let state: Mutex<State>

    init(budget: Int) { state = Mutex(State(images: LeastRecentlyUsed(budget: budget))) }

    /// How many evictions there were.
    var evictions: Int { state.withLock(\.evictions) }

    func image(at url: String) -> CachedImage? { state.withLock { $0.images.use(url) } }

    func peek(_ url: String) -> CachedImage? { state.withLock { $0.images.peek(url) } }

    /// - Parameter evictions: as many as there were when the bytes were read elsewhere. When there are more by now, the bytes
    ///   may be among those that were evicted, and are not kept. Nil for bytes that were not.
    func keep(_ image: CachedImage, at url: String, unlessMoreThan evictions: Int? = nil) {
        state.withLock { state in
            guard evictions == nil || evictions == state.evictions else { return }
            state.images.set(image, for: url, cost: image.image.data.count + 2 * url.utf8.count + Self.overhead)
        }
    }

    /// - Returns: the bytes of what was evicted, by URL.
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
