import Foundation

/// Caches fetched bytes within a budget; the least recently used are evicted first. Every cache passes the specs in
/// `Tests/ImageDataTests`.
public protocol ImageCache: Sendable {
    /// Returns the bytes, and marks them as used.
    /// - Throws: `ImageStoreError.damaged` when the bytes differ from those that were stored.
    func image(at url: String) async throws -> CachedImage?

    /// Returns the metadata of those that are cached, by URL, without reading the bytes and without marking them as used.
    func records(at urls: [String]) async throws -> [String: CachedRecord]

    /// Marks the bytes as used, after another cache has served them.
    func touch(_ url: String)

    /// Stores bytes, replacing those of the URL. Bytes larger than the budget are not stored; the ones they would
    /// replace are deleted.
    func keep(_ image: CachedImage, at url: String) async throws

    /// Evicts images with their variants and facts. The answer does not count these.
    func evict(_ eviction: Eviction) async throws -> Evicted

    // MARK: Derived data

    /// Returns a variant, and marks it as used. The time of its record is not stored.
    /// - Throws: `ImageStoreError.damaged` when the bytes differ from those that were stored.
    func variant(_ variant: Variant) async throws -> StoredImage?

    /// Marks a variant as used, after another cache has served it.
    func touch(_ variant: Variant)

    /// Stores a variant. It counts against the budget, and is evicted as images are. It need not be of a cached image.
    func keep(_ image: StoredImage, as variant: Variant) async throws

    /// Returns the facts that are known.
    func facts(of originals: Set<ContentHash>) async throws -> [ContentHash: PictureFacts]

    /// Stores facts, replacing those of the same bytes. It does not count them against the budget.
    func keep(_ facts: PictureFacts, of original: ContentHash) async throws

    /// Deletes the variants and the facts of images that were stored elsewhere, unless they are also here.
    func dropDerived(from originals: Set<ContentHash>) async throws
}

extension ImageCache {
    public func record(at url: String) async throws -> CachedRecord? { try await records(at: [url])[url] }

    public func facts(of original: ContentHash) async throws -> PictureFacts? {
        try await facts(of: [original])[original]
    }
}
