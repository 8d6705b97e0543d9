import Foundation

/// Caches fetched bytes within a budget; the least recently used are evicted first. Every cache passes the specs in
/// `Tests/ImageDataTests`.
public protocol ImageCache: Sendable {
    /// Returns the bytes, and marks them as used.
    /// - Throws: `ImageStoreError.damaged` when the bytes differ from those that were stored.
    func image(at url: String) async throws -> CachedImage?

    /// Returns the metadata, without reading the bytes and without marking them as used.
    func record(at url: String) async throws -> CachedRecord?

    /// Marks the bytes as used, after another cache has served them.
    func touch(_ url: String)

    /// Stores bytes, replacing those of the URL. Bytes larger than the budget are not stored; the ones they would
    /// replace are deleted.
    /// - Parameter isWanted: called when no other change of the cache can intervene; if it returns false, nothing is
    ///   changed.
    func keep(_ image: CachedImage, at url: String, while isWanted: @escaping @Sendable () -> Bool) async throws

    func evict(_ eviction: Eviction) async throws -> Evicted
}

extension ImageCache {
    /// Stores bytes unconditionally.
    public func keep(_ image: CachedImage, at url: String) async throws {
        try await keep(image, at: url, while: { true })
    }
}
