import ImageData
import Synchronization

/// Bytes in memory.
final class HotImages: Sendable {
    /// How many bytes are held unless the operator says otherwise.
    static let defaultBudget = 64 * 1_024 * 1_024

    /// What an image costs beside its bytes: its URL twice, its record, its places in the tables.
    private static let overhead = 512

    private let images: Mutex<LeastRecentlyUsed<String, CachedImage>>

    init(budget: Int) { images = Mutex(LeastRecentlyUsed(budget: budget)) }

    func image(at url: String) -> CachedImage? { images.withLock { $0.use(url) } }

    func peek(_ url: String) -> CachedImage? { images.withLock { $0.peek(url) } }

    func keep(_ image: CachedImage, at url: String) {
        images.withLock {
            $0.set(image, for: url, cost: image.image.data.count + 2 * url.utf8.count + Self.overhead)
        }
    }

    /// - Returns: the bytes of what was let go, by URL.
    func evict(_ eviction: Eviction) -> [String: Int] {
        images.withLock { images in
            var evicted: [String: Int] = [:]
            func remove(_ url: String) {
                if let image = images.remove(url) { evicted[url] = image.image.data.count }
            }
            switch eviction {
            case .urls(let urls): urls.forEach(remove)
            case .storedUpTo(let date):
                for (url, image) in images.oldestFirst where image.image.record.storedAt <= date { remove(url) }
            case .downTo(let bytes):
                for (url, _) in images.oldestFirst {
                    guard images.cost > bytes else { break }
                    remove(url)
                }
            }
            return evicted
        }
    }
}
