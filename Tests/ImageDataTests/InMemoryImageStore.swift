import Foundation
import ImageData

/// The model of a store of image data: the images in the order in which they were put.
actor InMemoryImageStore: ImageStore {
    private var entries: [(url: String, image: StoredImage)] = []

    func image(at url: String) -> StoredImage? { entries.first { $0.url == url }?.image }

    func records(at urls: [String]) -> [String: ImageRecord] {
        Dictionary(urls.map { ($0, image(at: $0)?.record) }) { first, _ in first }.compactMapValues(\.self)
    }

    func put(_ image: StoredImage, at url: String) throws {
        if let present = self.image(at: url)?.record {
            guard present.hash == image.record.hash else { throw ImageStoreError.conflict(url: url) }
        } else {
            entries.append((url, image))
        }
    }

    func evict(_ eviction: Eviction) -> Evicted {
        let before = (urls: entries.count, bytes: bytes(), contents: contents)
        switch eviction {
        case .urls(let urls): entries.removeAll { urls.contains($0.url) }
        case .storedUpTo(let date): entries.removeAll { $0.image.record.storedAt <= date }
        case .downTo(let limit):
            while bytes() > limit, let oldest = leastRecent() { entries.removeAll { $0.image.record.hash == oldest } }
        }
        return Evicted(
            urls: before.urls - entries.count, bytes: before.bytes - bytes(),
            freed: before.contents.subtracting(contents))
    }

    private var contents: Set<ContentHash> { Set(entries.map(\.image.record.hash)) }

    /// URLs with the same content share one copy.
    func bytes() -> Int {
        let sizes = Dictionary(entries.map { ($0.image.record.hash, $0.image.data.count) }) { size, _ in size }
        return sizes.values.reduce(0, +)
    }

    /// The least recently stored content. Content has the time of its most recent URL.
    private func leastRecent() -> ContentHash? {
        let times = Dictionary(entries.map { ($0.image.record.hash, $0.image.record.storedAt) }, uniquingKeysWith: max)
        return entries.map(\.image.record.hash).min {
            times[$0, default: .distantPast] < times[$1, default: .distantPast]
        }
    }
}
