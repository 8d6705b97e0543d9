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

    func variant(_ variant: Variant) -> StoredImage? {
        model.withLock { model in
            model.use(variant)
            return model.variants[variant]?.stored(at: .distantPast)
        }
    }

    func touch(_ variant: Variant) { model.withLock { $0.use(variant) } }

    func keep(_ image: StoredImage, as variant: Variant, while isWanted: @escaping @Sendable () -> Bool) {
        model.withLock { if isWanted() { $0.keep(image, as: variant) } }
    }

    func facts(of original: ContentHash) -> PictureFacts? { model.withLock { $0.facts[original] } }

    func keep(_ facts: PictureFacts, of original: ContentHash) { model.withLock { $0.facts[original] = facts } }

    func dropDerived(from originals: [ContentHash]?) { model.withLock { $0.dropDerived(from: originals) } }
}

/// The images by URL, and the contents in the order of their use. URLs with the same content share one copy.
private struct Model {
    let budget: Int
    private(set) var images: [String: CachedImage] = [:]
    private(set) var variants: [Variant: StoredImage] = [:]
    var facts: [ContentHash: PictureFacts] = [:]

    private enum Entry: Hashable {
        case content(ContentHash)
        case variant(Variant)
    }

    /// The contents and the variants, the least recently used one first.
    private var entries: [(entry: Entry, size: Int)] = []

    init(budget: Int) { self.budget = budget }

    mutating func use(_ url: String) {
        guard let record = images[url]?.image.record else { return }
        use(.content(record.hash), record.size)
    }

    mutating func use(_ variant: Variant) {
        if let image = variants[variant] { use(.variant(variant), image.data.count) }
    }

    private mutating func use(_ entry: Entry, _ size: Int) {
        entries.removeAll { $0.entry == entry }
        entries.append((entry, size))
    }

    mutating func keep(_ image: StoredImage, as variant: Variant) {
        guard image.data.count + ImageCacheSchema.variantOverhead <= budget else { return }
        variants[variant] = image
        use(variant)
        shrink(to: budget)
    }

    mutating func dropDerived(from originals: [ContentHash]?) {
        let isDropped = { (original: ContentHash) in originals?.contains(original) ?? true }
        variants = variants.filter { !isDropped($0.key.original) }
        facts = facts.filter { !isDropped($0.key) }
        entries.removeAll { if case .variant(let variant) = $0.entry { isDropped(variant.original) } else { false } }
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
        while weight > budget, let oldest = entries.first {
            switch oldest.entry {
            case .content(let hash): remove { $1.hash == hash }
            case .variant(let variant):
                variants[variant] = nil
                entries.removeFirst()
            }
        }
    }

    /// Deletes images, and the contents that no URL names any more.
    private mutating func remove(where isRemoved: (String, ImageRecord) -> Bool) {
        images = images.filter { !isRemoved($0, $1.image.record) }
        let named = Set(images.values.map(\.image.record.hash))
        let unnamed = entries.compactMap { entry, _ in
            if case .content(let hash) = entry, !named.contains(hash) { hash } else { nil }
        }
        entries.removeAll { if case .content(let hash) = $0.entry { unnamed.contains(hash) } else { false } }
        dropDerived(from: unnamed)
    }

    /// The size of all contents.
    private var bytes: Int {
        entries.reduce(0) { if case .content = $1.entry { $0 + $1.size } else { $0 } }
    }

    private var weight: Int {
        entries.map(\.size).reduce(0, +) + images.keys.map(Self.weight).reduce(0, +)
            + variants.count * ImageCacheSchema.variantOverhead
    }

    private static func weight(of url: String) -> Int { url.utf8.count + ImageCacheSchema.urlOverhead }
}
