import Foundation
import ImageData
import Synchronization

@testable import image_data_service

/// The model of a cache of images.
final class InMemoryImageCache: ImageCache {
    private let model: Mutex<Model>

    init(budget: Int) { model = Mutex(Model(budget: budget)) }

    func image(at url: String) -> CachedImage? {
        model.withLock { model in
            model.use(url)
            return model.images[url]
        }
    }

    func record(at url: String) -> CachedRecord? { model.withLock { $0.images[url].map(CachedRecord.init) } }

    func touch(_ url: String) { model.withLock { $0.use(url) } }

    func keep(_ image: CachedImage, at url: String, while isWanted: @escaping @Sendable () -> Bool) {
        model.withLock { if isWanted() { $0.keep(image, at: url) } }
    }

    func evict(_ eviction: Eviction) -> Evicted { model.withLock { $0.evict(eviction) } }
}

/// The images by URL, and the contents in the order of their use. URLs with the same content share one copy.
private struct Model {
    let budget: Int
    private(set) var images: [String: CachedImage] = [:]

    /// The least recently used one first.
    private var contents: [(hash: ContentHash, size: Int)] = []

    init(budget: Int) { self.budget = budget }

    mutating func use(_ url: String) {
        guard let record = images[url]?.image.record else { return }
        contents.removeAll { $0.hash == record.hash }
        contents.append((record.hash, record.size))
    }

    mutating func keep(_ image: CachedImage, at url: String) {
        guard image.image.data.count + Self.weight(of: url) <= budget else {
            return remove { other, _ in other == url }
        }
        images[url] = image
        use(url)
        // Deletes the replaced content, unless another URL names it.
        remove { _, _ in false }
        shrink(to: budget)
    }

    mutating func evict(_ eviction: Eviction) -> Evicted {
        let before = (urls: images.count, bytes: bytes)
        switch eviction {
        case .urls(let urls): remove { url, _ in urls.contains(url) }
        case .storedUpTo(let date): remove { $1.storedAt <= date }
        case .downTo(let bytes): shrink(to: bytes)
        }
        return Evicted(urls: before.urls - images.count, bytes: before.bytes - bytes)
    }

    private mutating func shrink(to budget: Int) {
        while bytes + images.keys.map(Self.weight).reduce(0, +) > budget, let oldest = contents.first {
            remove { $1.hash == oldest.hash }
        }
    }

    /// Deletes images, and the contents that no URL names any more.
    private mutating func remove(where isRemoved: (String, ImageRecord) -> Bool) {
        images = images.filter { !isRemoved($0, $1.image.record) }
        let named = Set(images.values.map(\.image.record.hash))
        contents.removeAll { !named.contains($0.hash) }
    }

    private var bytes: Int { contents.map(\.size).reduce(0, +) }

    private static func weight(of url: String) -> Int { url.utf8.count + ImageCacheSchema.urlOverhead }
}
