import Foundation
import ImageData

/// Memory before disk.
struct ImageCaches: Sendable {
    let hot: HotImages
    let cold: ColdImages

    /// Where bytes were found.
    enum Place: Sendable { case hot, cold }

    /// The bytes, which are then in memory too.
    func image(at url: String, in tiers: ImageTiers) async -> CachedImage? {
        if let image = imageInMemory(at: url, in: tiers) { return image }
        return await imageOnDisk(at: url, in: tiers)
    }

    func imageInMemory(at url: String, in tiers: ImageTiers) -> CachedImage? {
        guard tiers.contains(.hot), let image = hot.image(at: url) else { return nil }
        cold.touch(url)
        return image
    }

    func imageOnDisk(at url: String, in tiers: ImageTiers) async -> CachedImage? {
        guard tiers.contains(.cold), let image = await cold.image(at: url) else { return nil }
        if tiers.contains(.hot) { hot.keep(image, at: url) }
        return image
    }

    /// What is known about the bytes, which are not used by that.
    func record(at url: String, in tiers: ImageTiers) async -> (record: CachedRecord, place: Place)? {
        if tiers.contains(.hot), let image = hot.peek(url) { return (CachedRecord(image), .hot) }
        guard tiers.contains(.cold), let record = await cold.record(at: url) else { return nil }
        return (record, .cold)
    }

    func keep(_ image: CachedImage, at url: String, in tiers: ImageTiers) async {
        if tiers.contains(.hot) { hot.keep(image, at: url) }
        if tiers.contains(.cold) { await cold.keep(image, at: url) }
    }

    /// - Throws: when the disk cannot be written to; what was in memory has gone all the same.
    func evict(_ eviction: Eviction) async throws -> Evicted {
        var (urls, bytes) = (0, 0)
        for (url, size) in hot.evict(eviction) where await cold.record(at: url) == nil {
            (urls, bytes) = (urls + 1, bytes + size)
        }
        let evicted = try await cold.evict(eviction)
        return Evicted(urls: urls + evicted.urls, bytes: bytes + evicted.bytes)
    }
}
