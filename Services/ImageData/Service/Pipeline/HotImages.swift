import ImageData
import Synchronization

/// The cache of fetched bytes and of variants in memory.
final class HotImages: Sendable {
    /// The default budget in bytes.
    static let defaultBudget = 64 * 1_024 * 1_024

    /// The size that an image counts beside its bytes: its record and its entries in the tables.
    private static let overhead = 512

    /// The budget in bytes of the records of images that were put.
    private static let recordsBudget = 4 * 1_024 * 1_024

    private struct State {
        var images: LeastRecentlyUsed<UsedImage, CachedImage>

        /// The records of images that were put, by URL, since the last eviction. So a variant in memory is found without the disk.
        var records = LeastRecentlyUsed<String, ImageRecord>(budget: recordsBudget)
        var evictions = 0

        mutating func noteEviction() {
            evictions += 1
            records = LeastRecentlyUsed(budget: recordsBudget)
        }
    }

    private let state: Mutex<State>

    init(budget: Int) { state = Mutex(State(images: LeastRecentlyUsed(budget: budget))) }

    /// Forgets records, after images that were put may have changed.
    func noteEviction() { state.withLock { $0.noteEviction() } }

    /// The record of an image that was put.
    func record(ofPut url: String) -> ImageRecord? { state.withLock { $0.records.use(url) } }

    /// - Parameter evictions: as for images.
    func keep(_ record: ImageRecord, ofPut url: String, unlessMoreThan evictions: Int) {
        state.withLock { state in
            guard evictions == state.evictions else { return }
            state.records.set(record, for: url, cost: 2 * url.utf8.count + Self.overhead)
        }
    }

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
            state.noteEviction()
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
