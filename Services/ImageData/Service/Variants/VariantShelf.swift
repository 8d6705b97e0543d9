import Foundation
import ImageData

/// The caches that one load searches for the variants of its image, and keeps them in.
struct VariantShelf: Sendable {
    let caches: ImageCaches

    /// The URL of the original.
    let url: String
    let tiers: ImageTiers

    /// The evictions before the original was read. One since then may have been of the original, so nothing is kept after it.
    private let evictions: Int

    init(_ caches: ImageCaches, url: String, tiers: ImageTiers) {
        (self.caches, self.url, self.tiers) = (caches, url, tiers)
        evictions = caches.hot.evictions
    }

    /// Returns a variant, and marks it and its original as used.
    /// - Parameter original: the record of the original, whose time and age are the variant's.
    func variant(_ variant: Variant, of original: ImageRecord) async -> (image: StoredImage, place: ImageCaches.Place)?
    {
        if tiers.contains(.hot), let image = caches.hot.variant(variant) {
            caches.cold.touch(variant)
            caches.cold.touch(url)
            return (image.stored(as: original), .hot)
        }
        guard tiers.contains(.cold), let found = await caches.cold.variant(variant) else { return nil }
        caches.cold.touch(url)
        let image = found.stored(as: original)
        keepInMemory(image, as: variant)
        return (image, .cold)
    }

    func keep(_ image: StoredImage, as variant: Variant) async {
        keepInMemory(image, as: variant)
        guard tiers.contains(.cold) else { return }
        await caches.cold.keep(image, as: variant) { [hot = caches.hot, evictions] in hot.evictions == evictions }
        caches.cold.touch(url)
    }

    private func keepInMemory(_ image: StoredImage, as variant: Variant) {
        if tiers.contains(.hot) { caches.hot.keep(image, as: variant, unlessMoreThan: evictions) }
    }
}
